#!/bin/sh
# make-secrets.sh [<folder> [<folder of the development key>]]: generates the secrets of the trial's services, unless
# they exist. Each service gets a file of settings that only its user can read; the database gets its password.
set -eu
secrets=${1:-/secrets}
key=${2:-/signing-key}
own() {
  [ "$(id -u)" != 0 ] || chown 10001:10001 "$1"
}
draw() {
  od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n'
}
keep() {
  file=$1
  shift
  printf '%s\n' "$@" >"$file.new"
  chmod 400 "$file.new"
  own "$file.new"
  mv "$file.new" "$file"
}

chmod 700 "$key"
own "$key"

# The file of the verifier is newer than the others, so an installation may have them without it. It is written last.
keep_verifier() {
  [ ! -e "$secrets/verifier/scriptorium.env" ] || return 0
  verifier=$(draw)
  others=$(grep -v '^VERIFIER_SECRET=' "$secrets/gateway/scriptorium.env")
  keep "$secrets/gateway/scriptorium.env" "$others" "VERIFIER_SECRET=$verifier"
  keep "$secrets/verifier/scriptorium.env" "VERIFIER_SECRET=$verifier"
}

# The same for the secrets of jobs.
keep_jobs() {
  sh "$(dirname "$0")/make-job-secrets.sh" "$secrets/%/scriptorium.env" "$secrets/redis/users.acl"
}

# This file is written last: if it exists, all older ones exist.
if [ -e "$secrets/telemetry/scriptorium.env" ]; then
  keep_verifier
  keep_jobs
  exit 0
fi
password=$(draw)
signer=$(draw)
database="DATABASE_URL=postgres://scriptorium:$password@database:5432/scriptorium"
keep "$secrets/database/password" "$password"
# Read by the database's account, whose number depends on its image; nothing else mounts this volume.
chmod 444 "$secrets/database/password"
keep "$secrets/signer/scriptorium.env" "SIGNER_SECRET=$signer" 'DEVELOPMENT_KEY_DIR=/var/lib/scriptorium'
keep "$secrets/gateway/scriptorium.env" "$database" 'SMTP_URL=smtp://mail:1025' "CODE_PEPPER=$(draw)" "SIGNER_SECRET=$signer"
keep "$secrets/telemetry/scriptorium.env" "$database"
keep_verifier
keep_jobs
