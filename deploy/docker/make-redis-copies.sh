#!/bin/sh
# make-redis-copies.sh <folder of secrets>: makes the user with which copies and sentinels reach the Redis servers, and their
# settings, unless they exist. These are a line of users.acl, copies.conf and sentinel.conf.
set -eu
cd "$1"
[ ! -e sentinel.conf ] || exit 0
umask 077
password=$(od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n')
hash=$(printf '%s' "$password" | sha256sum | cut -d' ' -f1)
{
  grep -v '^user copies ' users.acl
  # https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/#acl-rules-for-sentinel-and-replicas
  echo "user copies reset on #$hash allchannels +ping +psync +replconf +multi +exec +slaveof +replicaof +role +info +publish" \
    '+subscribe +config|rewrite +client|setname +client|kill +script|kill'
} >users.acl.new
cat >copies.conf <<END
aclfile /run/secrets/users.acl
save ""
appendonly no
maxmemory-policy noeviction
masteruser copies
masterauth $password
# A copy must not write documents to its disk.
repl-diskless-sync yes
repl-diskless-sync-delay 0
repl-diskless-load swapdb
dir /tmp
END
{
  printf '%s\n' 'port 26379' 'dir /tmp' 'protected-mode no' 'sentinel resolve-hostnames yes' 'sentinel announce-hostnames yes'
  for name in queue blobs; do
    printf "sentinel %s\n" "monitor $name $name 6379 2" "down-after-milliseconds $name 2000" \
      "failover-timeout $name 10000" "auth-user $name copies" "auth-pass $name $password"
  done
} >sentinel.conf.new
chmod 400 users.acl.new copies.conf sentinel.conf.new
[ "$(id -u)" != 0 ] || chown 10001:10001 users.acl.new copies.conf sentinel.conf.new
mv users.acl.new users.acl
# It is written last: if it exists, the others do.
mv sentinel.conf.new sentinel.conf
