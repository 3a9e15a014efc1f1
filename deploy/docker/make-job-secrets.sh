#!/bin/sh
# make-job-secrets.sh <files> <users>: generates the secrets of jobs and the users of Redis, unless they exist.
#
# <files> names the file of settings of a service, with % for its name: /etc/scriptorium/%.env. Settings are added to the
# files of the gateway and the workers. <users> is the file of users for Redis (`aclfile`).
set -eu
files=$1
users=$2
rules=$(dirname "$0")/redis-users.acl
own() {
  [ "$(id -u)" != 0 ] || chown 10001:10001 "$1"
}
draw() {
  od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n'
}
keep() {
  chmod 400 "$1.new"
  own "$1.new"
  mv "$1.new" "$1"
}
add() {
  file=$(printf '%s' "$files" | sed "s/%/$1/")
  shift
  { [ ! -e "$file" ] || cat "$file"; printf '%s\n' "$@"; } >"$file.new"
  keep "$file"
}

# The users are written last: if the file exists, all others are complete.
[ ! -e "$users" ] || exit 0
cp "$rules" "$users.new"
chmod 600 "$users.new"
# Who may use every key sends jobs to all workers, and gets the secret of each.
workers=$(sed -n '/ ~{scriptorium}:\* /!s/^user \([a-z-]*\) .* PASSWORD_.*/\1/p' "$rules")
senders=$(sed -n '/ ~{scriptorium}:\* /s/^user \([a-z-]*\) .*/\1/p' "$rules")
all=''
for service in $workers $senders; do
  password=$(draw)
  hash=$(printf '%s' "$password" | sha256sum | cut -d' ' -f1)
  sed "s/PASSWORD_$service /#$hash /" "$users.new" >"$users.next"
  mv "$users.next" "$users.new"
  set -- "REDIS_URL=redis://$service:$password@queue:6379" "REDIS_BLOB_URL=redis://$service:$password@blobs:6379"
  case " $workers " in
    *[[:space:]]"$service"[[:space:]]*)
      secret="$(printf '%s' "$service" | tr a-z A-Z)_JOB_SECRET=$(draw)"
      add "$service" "$@" "$secret"
      all="$all $secret"
      ;;
    *)
      # shellcheck disable=SC2086
      add "$service" "$@" $all
      ;;
  esac
done
keep "$users"
