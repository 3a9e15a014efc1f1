#!/bin/sh
# make-redis-certificates.sh <folder>: makes an authority and a certificate for the Redis servers of Docker Compose, unless
# they exist: ca.crt, tls.crt and tls.key. Both last ten years. The key of the authority is not kept.
set -eu
folder=$1
[ ! -e "$folder/tls.key" ] || exit 0
umask 077
mkdir -p "$folder"
cd "$folder"
trap 'rm -f ca.key tls.csr tls.key.new names' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 3650 -subj '/CN=Scriptorium Redis authority' \
  -keyout ca.key -out ca.crt 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj '/CN=queue' -keyout tls.key.new -out tls.csr 2>/dev/null
# The health check asks 127.0.0.1.
echo 'subjectAltName=DNS:queue,DNS:blobs,DNS:localhost,IP:127.0.0.1' >names
openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -days 3650 -extfile names -out tls.crt 2>/dev/null
chmod 444 ca.crt tls.crt
chmod 400 tls.key.new
chmod 755 .
[ "$(id -u)" != 0 ] || chown 10001:10001 ca.crt tls.crt tls.key.new
# It is written last: if it exists, the others do.
mv tls.key.new tls.key
