#!/bin/sh
# replace.sh -f <file>…: replaces what runs of compose.production.yml by the images of SCRIPTORIUM_VERSION, without a broken
# call: a new container starts beside each old one, which then stops. The options are those of `docker compose`.
set -eu
# Workers first: only a new one knows what a new gateway asks for.
for service in converter annotator signer verifier gateway; do
  # What an earlier run stopped and did not remove would start again, with its old image.
  docker compose "$@" rm --force "$service"
  before=$(docker compose "$@" ps --quiet "$service")
  more=$(($(printf '%s\n' "$before" | grep -c .) + 1))
  for container in $before; do
    docker compose "$@" up --detach --no-deps --no-recreate --scale "$service=$more" --wait "$service"
    # A gateway takes up to 140 s, for its balancer and for open calls.
    docker stop --time 150 "$container"
    docker rm "$container"
  done
done
# Its port is published, so there is no second one. Clients send again what they count.
docker compose "$@" up --detach --no-deps --wait telemetry
