#!/usr/bin/env bash
# Starts the product in a cluster of kind on this machine, and prints an API key.
# Needs docker, kind, kubectl and helm. `kind delete cluster --name scriptorium` removes everything.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
version=$(sed -n 's/^appVersion: *"\{0,1\}\([^"]*\).*/\1/p' deploy/helm/scriptorium/Chart.yaml)

kind create cluster --config "$here/kind.yaml" --wait 120s

for service in gateway converter annotator signer verifier telemetry; do
  image="scriptorium/$service:$version"
  docker build -f deploy/docker/Dockerfile --build-arg SERVICE="$service" -t "$image" .
  kind load docker-image "$image" --name scriptorium
done

helm upgrade --install docs deploy/helm/scriptorium -n documents --create-namespace \
  -f deploy/helm/examples/trial.yaml -f "$here/values.yaml" --wait --timeout 10m
helm test docs -n documents

kubectl -n documents exec deploy/docs-scriptorium-gateway -- node dist/keys.js add --owner you@example.com
echo 'Next: kubectl -n documents port-forward service/docs-scriptorium-gateway 8080:80'
