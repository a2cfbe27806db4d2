#!/usr/bin/env bash
# Makes this node's certificate authority, certificates and kubeconfigs. Usage: certificates.sh DIRECTORY NODE_NAME NODE_IP
set -euo pipefail
directory=$1 node=$2 ip=$3
pki=$directory/pki
mkdir -p "$pki"
cd "$pki"
umask 077

key() { openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"; }

# certificate FILE SUBJECT USAGE [ALTERNATIVE_NAMES]
certificate() {
  key "$1"
  {
    printf 'keyUsage=critical,digitalSignature\nextendedKeyUsage=%s\n' "$3"
    if [ -n "${4:-}" ]; then printf 'subjectAltName=%s\n' "$4"; fi
  } > "$1.ext"
  openssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -days 365 -extfile "$1.ext" -out "$1.crt" 2> /dev/null
}

# kubeconfig FILE CERTIFICATE
kubeconfig() {
  cat > "$directory/$1.kubeconfig" <<C
apiVersion: v1
kind: Config
clusters:
  - name: node
    cluster:
      server: https://127.0.0.1:6443
      certificate-authority-data: $(base64 -w0 ca.crt)
users:
  - name: $1
    user:
      client-certificate-data: $(base64 -w0 "$2.crt")
      client-key-data: $(base64 -w0 "$2.key")
contexts:
  - name: node
    context: {cluster: node, user: $1}
current-context: node
C
}

key ca
openssl req -x509 -new -key ca.key -subj "/CN=kwitness-node-$node" -days 365 -out ca.crt \
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out service-accounts.key
openssl pkey -in service-accounts.key -pubout -out service-accounts.pub

certificate apiserver "/CN=kube-apiserver" serverAuth \
  "IP:127.0.0.1,IP:$ip,IP:10.96.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
certificate kubelet-server "/CN=$node" serverAuth "IP:$ip,DNS:$node"
certificate apiserver-kubelet-client "/O=system:masters/CN=kube-apiserver-kubelet-client" clientAuth
certificate admin "/O=system:masters/CN=admin" clientAuth
certificate controllers "/CN=system:kube-controller-manager" clientAuth
certificate scheduler "/CN=system:kube-scheduler" clientAuth
certificate proxy "/CN=system:kube-proxy" clientAuth
certificate dns "/CN=system:node-dns" clientAuth
certificate kubelet "/O=system:nodes/CN=system:node:$node" clientAuth
for user in admin controllers scheduler proxy dns kubelet; do kubeconfig "$user" "$user"; done
