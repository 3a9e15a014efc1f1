#!/bin/sh
# check-files.sh: asks Docker Compose whether it can read each combination of the files that docs/operations/docker.md names.
set -eu
cd "$(dirname "$0")/../.."
export SECRETS_DIR=/nowhere PUBLIC_URL=https://docs.example.com
set -- -f docker-compose.yml
docker compose "$@" config -q
for overlay in production redis-tls; do
  set -- "$@" -f "deploy/docker/compose.$overlay.yml"
  docker compose "$@" config -q
done
