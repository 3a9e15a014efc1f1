# The converter image, built from the root of the checkout:
#   docker build -f deploy/docker/converter.Dockerfile -t scriptorium-converter .
ARG NODE_IMAGE=node:24.21.0-trixie-slim
ARG DEBIAN_IMAGE=debian:trixie-slim

FROM ${NODE_IMAGE} AS node

FROM node AS sources
WORKDIR /checkout
COPY . .
RUN --mount=type=cache,target=/root/.npm deploy/docker/steps/prune.sh converter

FROM node AS modules
WORKDIR /app
COPY --from=sources /pruned/production/ ./
RUN --mount=type=cache,target=/root/.npm --mount=type=bind,source=deploy/docker/steps,target=/steps /steps/install-modules.sh

# The engine host is compiled against the C library and the LibreOffice of the Debian release that it runs on.
# services/converter/libreoffice.mjs lists what depends on their version.
FROM node AS toolchain
RUN --mount=type=bind,source=deploy/docker/steps,target=/steps /steps/install-packages.sh \
  gcc g++ libc6-dev make libreofficekit-dev libreoffice-dev

FROM toolchain AS build
WORKDIR /app
COPY --from=sources /pruned/json/ ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY --from=sources /pruned/full/ ./
RUN TURBO_TELEMETRY_DISABLED=1 npx turbo run build
RUN --mount=type=bind,source=deploy/docker/steps,target=/steps /steps/collect.sh /built

# Only Node from its image: npm and headers would help an intruder.
FROM ${DEBIAN_IMAGE} AS base
COPY --from=node /usr/local/bin/node /usr/local/bin/node
# First the libraries that Node needs: the next step runs it, and on some processors it does not start without
# libatomic.
RUN --mount=type=bind,source=deploy/docker/steps,target=/steps /steps/install-packages.sh tini libstdc++6 libatomic1
RUN --mount=type=bind,source=deploy/docker/steps,target=/deploy/docker/steps --mount=type=bind,source=deploy/local,target=/deploy/local \
  /deploy/docker/steps/install-packages.sh fontconfig @office @font @hyphenation
RUN --mount=type=bind,source=deploy/docker/steps,target=/steps /steps/finish.sh

FROM base AS final
COPY deploy/docker/steps/health.mjs /usr/local/lib/scriptorium/
COPY --from=modules /app/ /app/
COPY --from=build /built/ /app/
WORKDIR /app/services/converter
# Freed memory is overwritten: no document stays in it.
ENV GLIBC_TUNABLES=glibc.malloc.perturb=165
ENV NODE_ENV=production INTERNAL_HOST=0.0.0.0 INTERNAL_PORT=9465 HOME=/tmp
EXPOSE 9465
USER 10001:10001
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="Scriptorium converter" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
HEALTHCHECK --interval=10s --timeout=5s --start-period=180s --start-interval=1s \
  CMD ["node", "/usr/local/lib/scriptorium/health.mjs"]
# tini forwards signals from the first moment, when Node as the first process would still ignore them. It also reaps the
# children that a killed engine host leaves behind.
ENTRYPOINT ["tini", "--", "node", "--enable-source-maps", "--env-file-if-exists=/run/secrets/scriptorium.env", "dist/main.js"]
