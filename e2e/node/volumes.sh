#!/usr/bin/env bash
# Offers static volumes under the default storage class and empties each one that was released, for ever.
# Pods of a restricted namespace cannot have hostPath volumes of their own, but may claim these.
set -euo pipefail
root=/var/lib/node/volumes
count=30

kubectl apply -f - > /dev/null <<Y
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: standard
  annotations: {storageclass.kubernetes.io/is-default-class: "true"}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: Immediate
Y
for number in $(seq -w "$count"); do
  mkdir -p "$root/volume-$number"
  chmod 0777 "$root/volume-$number" # any user id may write
  cat <<Y
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume-$number}
spec:
  storageClassName: standard
  capacity: {storage: 10Gi}
  accessModes: [ReadWriteOnce, ReadWriteMany]
  persistentVolumeReclaimPolicy: Retain
  hostPath: {path: $root/volume-$number, type: Directory}
Y
done | kubectl apply -f - > /dev/null

while true; do
  kubectl get persistentvolumes --watch -o jsonpath='{.metadata.name} {.status.phase}{"\n"}' 2> /dev/null |
    while read -r name phase; do
      if [ "$phase" != Released ]; then continue; fi
      echo "emptying $name"
      find "${root:?}/$name" -mindepth 1 -delete || true
      chmod 0777 "$root/$name"
      kubectl patch persistentvolume "$name" --type=json -p '[{"op":"remove","path":"/spec/claimRef"}]' || true
    done || true
  sleep 1
done
