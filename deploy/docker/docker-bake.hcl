# Builds all images, from the root of the checkout:
#   docker buildx bake -f deploy/docker/docker-bake.hcl
# To publish them for both architectures, with a list of their packages and a statement of how they were built:
#   IMAGES=registry.example.com/scriptorium/ REVISION=$(git rev-parse HEAD) \
#     docker buildx bake -f deploy/docker/docker-bake.hcl --push

# Start of the names, with a registry: `registry.example.com/scriptorium/`.
variable "IMAGES" {
  default = "scriptorium/"
}

variable "VERSION" {
  default = "0.9.0"
}

variable "REVISION" {
  default = ""
}

# Tags move. To build the same again, `npm run release -- pin` writes digests behind them.
variable "NODE_IMAGE" {
  default = "node:24.21.0-trixie-slim"
}

variable "DEBIAN_IMAGE" {
  default = "debian:trixie-slim"
}

group "default" {
  targets = ["service"]
}

target "service" {
  name = service
  matrix = {
    service = ["gateway", "converter", "annotator", "signer", "verifier", "telemetry"]
  }
  context    = "."
  dockerfile = service == "converter" ? "deploy/docker/converter.Dockerfile" : "deploy/docker/service.Dockerfile"
  args = {
    SERVICE      = service
    VERSION      = VERSION
    REVISION     = REVISION
    NODE_IMAGE   = NODE_IMAGE
    DEBIAN_IMAGE = DEBIAN_IMAGE
  }
  tags      = ["${IMAGES}${service}:${VERSION}"]
  platforms = ["linux/amd64", "linux/arm64"]
  attest    = ["type=provenance,mode=max", "type=sbom"]
}
