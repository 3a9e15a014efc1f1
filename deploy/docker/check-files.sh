#!/bin/sh
# check-files.sh: asks Docker Compose whether it can read each combination of the files that docs/operations/docker.md names.
set -eu
cd "$(dirname "$0")/../.."
export SECRETS_DIR=/nowhere PUBLIC_URL=https://docs.example.com
set -- -f docker-compose.yml
docker compose "$@" config -q
set -- "$@" -f deploy/docker/compose.production.yml
docker compose "$@" config -q
for overlay in redis-tls redis-copies; do
  docker compose "$@" -f "deploy/docker/compose.$overlay.yml" config -q
done
