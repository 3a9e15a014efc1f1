# The images of the gateway, the annotator, the signer, the verifier and the telemetry service, built from the root of the checkout:
#   docker build -f deploy/docker/service.Dockerfile --build-arg SERVICE=gateway -t scriptorium-gateway .
ARG NODE_IMAGE=node:24.21.0-trixie-slim
ARG DEBIAN_IMAGE=debian:trixie-slim
ARG SERVICE=gateway

FROM ${NODE_IMAGE} AS node

FROM node AS sources
ARG SERVICE
WORKDIR /checkout
COPY . .
RUN --mount=type=cache,target=/root/.npm deploy/docker/steps/prune.sh ${SERVICE}

FROM node AS modules
WORKDIR /app
COPY --from=sources /pruned/production/ ./
RUN --mount=type=cache,target=/root/.npm --mount=type=bind,source=deploy/docker/steps,target=/steps /steps/install-modules.sh

FROM node AS build
WORKDIR /app
COPY --from=sources /pruned/json/ ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY --from=sources /pruned/full/ ./
RUN TURBO_TELEMETRY_DISABLED=1 npx turbo run build
RUN --mount=type=bind,source=deploy/docker/steps,target=/steps /steps/collect.sh /built

# Only Node from its image: npm and headers would help an intruder.
FROM ${DEBIAN_IMAGE} AS base
COPY --from=node /usr/local/bin/node /usr/local/bin/node
RUN --mount=type=bind,source=deploy/docker/steps,target=/steps /steps/install-packages.sh tini libstdc++6 libatomic1

FROM base AS gateway
ENV INTERNAL_PORT=9464
EXPOSE 8080 9464

FROM base AS annotator
# One font, for the text of SVG images: the same that `npm start` uses.
RUN --mount=type=bind,source=deploy/docker/steps,target=/steps /steps/install-packages.sh fontconfig fonts-noto-core
ENV INTERNAL_PORT=9466
EXPOSE 9466

FROM base AS signer
# For the pages of the audit trail, in any script.
RUN --mount=type=bind,source=deploy/docker/steps,target=/deploy/docker/steps --mount=type=bind,source=deploy/local,target=/deploy/local \
  /deploy/docker/steps/install-packages.sh @font
ENV INTERNAL_PORT=9467
EXPOSE 9467

FROM base AS verifier
# For reports as PDF, in any script.
RUN --mount=type=bind,source=deploy/docker/steps,target=/deploy/docker/steps --mount=type=bind,source=deploy/local,target=/deploy/local \
  /deploy/docker/steps/install-packages.sh @font
ENV INTERNAL_PORT=9469
EXPOSE 9469

FROM base AS telemetry
ENV INTERNAL_PORT=9468
EXPOSE 8081 9468

FROM ${SERVICE} AS final
ARG SERVICE
RUN --mount=type=bind,source=deploy/docker/steps,target=/steps /steps/finish.sh
COPY deploy/docker/steps/health.mjs /usr/local/lib/scriptorium/
COPY --from=modules /app/ /app/
COPY --from=build /built/ /app/
WORKDIR /app/services/${SERVICE}
# Freed memory is overwritten: no document stays in it.
ENV GLIBC_TUNABLES=glibc.malloc.perturb=165
ENV NODE_ENV=production HOST=0.0.0.0 INTERNAL_HOST=0.0.0.0 HOME=/tmp
USER 10001:10001
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="Scriptorium ${SERVICE}" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s \
  CMD ["node", "/usr/local/lib/scriptorium/health.mjs"]
# tini forwards signals from the first moment, when Node as the first process would still ignore them, and reaps
# orphans.
ENTRYPOINT ["tini", "--", "node", "--enable-source-maps", "--env-file-if-exists=/run/secrets/scriptorium.env", "dist/main.js"]
