#!/usr/bin/env bash
# Runs inside the node container: containerd, etcd, the Kubernetes commands and CoreDNS. Needs NODE_NAME.
# Ends, and the container with it, when any of them ends.
set -euo pipefail
here=/opt/kwitness
data=/var/lib/node
pki=$data/pki
log=/var/log/node
node=${NODE_NAME:?}
ip=$(hostname -i | awk '{print $1}')
declare -A command_of=()

# launch NAME COMMAND...
launch() {
  local name=$1
  shift
  "$@" > "$log/$name.log" 2>&1 &
  command_of[$!]=$name
}

# until_true COMMAND...: KubernetesNode, which sees the logs, decides when that takes too long
until_true() {
  until "$@" > /dev/null 2>&1; do sleep 0.1; done
}

echo "preparing node $node at $ip"
mkdir -p "$log" /etc/cni/net.d /etc/containerd "$data"
mount --make-rshared / 2> /dev/null || true
# A container that is not privileged gets these read-only or hidden; the Kubernetes commands write some of them.
for path in $(awk '$5 ~ "^/proc/" {print $5}' /proc/self/mountinfo); do umount "$path" 2> /dev/null || true; done
"$here/cgroups.sh" make "$node"
cp "$here/config/cni.conflist" /etc/cni/net.d/10-pods.conflist
cp "$here/config/containerd.toml" /etc/containerd/config.toml
sed "s/@NODE_NAME@/$node/; s/@NODE_IP@/$ip/" "$here/config/kubelet.yaml" > "$data/kubelet.yaml"
if [ ! -f "$data/admin.kubeconfig" ]; then "$here/certificates.sh" "$data" "$node" "$ip"; fi
export KUBECONFIG=$data/admin.kubeconfig

# Containers of a node that is gone are still in containerd's volume; its images are what the volume is kept for.
if [ -n "$(ls -A /var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes 2> /dev/null)" ]; then
  echo "removing containers of an earlier node"
  printf 'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n' > /run/containerd-cleanup.toml
  containerd --config /run/containerd-cleanup.toml > "$log/containerd-cleanup.log" 2>&1 &
  cleanup=$!
  until_true ctr version
  ctr -n k8s.io containers list -q | xargs -r ctr -n k8s.io containers rm > /dev/null 2>&1 || true
  kill $cleanup
  wait $cleanup || true
  rm -rf /var/lib/containerd/io.containerd.grpc.v1.cri/{sandboxes,containers} /var/lib/containerd/io.containerd.runtime.v2.task
fi

launch containerd containerd
# The data of a node end with it, so nothing waits for the disk.
launch etcd etcd --data-dir "$data/etcd" --unsafe-no-fsync --listen-client-urls http://127.0.0.1:2379 \
  --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
launch apiserver kube-apiserver \
  --etcd-servers=http://127.0.0.1:2379 --secure-port=6443 --bind-address=0.0.0.0 --advertise-address="$ip" \
  --client-ca-file=$pki/ca.crt --tls-cert-file=$pki/apiserver.crt --tls-private-key-file=$pki/apiserver.key \
  --kubelet-certificate-authority=$pki/ca.crt --kubelet-client-certificate=$pki/apiserver-kubelet-client.crt \
  --kubelet-client-key=$pki/apiserver-kubelet-client.key --kubelet-preferred-address-types=InternalIP \
  --service-account-issuer=https://kubernetes.default.svc.cluster.local \
  --service-account-key-file=$pki/service-accounts.pub --service-account-signing-key-file=$pki/service-accounts.key \
  --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged=true \
  --service-cluster-ip-range=10.96.0.0/16 \
  --audit-policy-file=$here/config/audit-policy.yaml --audit-log-path=$log/audit.log --audit-log-maxsize=2000
until_true ctr version
if ! ctr -n k8s.io images list -q | grep -qx docker.io/kwitness/pause:local; then
  ctr -n k8s.io images import "$here/pause.tar" > /dev/null
fi
until_true kubectl get --raw /readyz

kubectl apply -f "$here/config/dns-rbac.yaml" > /dev/null
launch controllers kube-controller-manager --kubeconfig="$data/controllers.kubeconfig" \
  --service-account-private-key-file=$pki/service-accounts.key --root-ca-file=$pki/ca.crt \
  --use-service-account-credentials --leader-elect=false --allocate-node-cidrs=true --cluster-cidr=10.244.0.0/16
launch scheduler kube-scheduler --kubeconfig="$data/scheduler.kubeconfig" --leader-elect=false
launch kubelet kubelet --config="$data/kubelet.yaml" --kubeconfig="$data/kubelet.kubeconfig" --hostname-override="$node" --node-ip="$ip"
# Without br_netfilter an answer between two pods of the bridge would miss its translation back.
masquerade=()
if ! echo 1 2> /dev/null > /proc/sys/net/bridge/bridge-nf-call-iptables; then masquerade=(--masquerade-all); fi
launch proxy kube-proxy --kubeconfig="$data/proxy.kubeconfig" --proxy-mode=iptables --cluster-cidr=10.244.0.0/16 \
  --hostname-override="$node" --conntrack-max-per-core=0 --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0 "${masquerade[@]}"
launch dns coredns -conf "$here/config/Corefile"
launch volumes "$here/volumes.sh"
echo "every process of node $node is started"

ended=
wait -n -p ended || true
echo "${command_of[$ended]:-a process} ended; its last lines:" >&2
tail -n 20 "$log/${command_of[$ended]:-*}.log" >&2
exit 1
