# Epistle in a container: the package as npm packs it, on the Node it asks for, as a user without rights.
# scripts/check-package does these steps one after the other without Docker, so only RUN, COPY, ENV, WORKDIR, USER,
# VOLUME, HEALTHCHECK and CMD are used here, and every command has to run in any shell.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts --include=dev --no-audit --no-fund
RUN node --disable-warning=ExperimentalWarning scripts/lib/build.ts
RUN mkdir -p /packed && npm pack --silent --pack-destination /packed

FROM node:24-bookworm-slim
COPY --from=build /packed /packed
RUN npm install --global --ignore-scripts --no-audit --no-fund /packed/*.tgz
# As ./scripts/start has it: half the memory under load, as fast.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=32768 MALLOC_TRIM_THRESHOLD_=2097152
ENV NODE_OPTIONS=--max-semi-space-size=8
USER node
RUN mkdir -p -m 0700 /home/node/mail
WORKDIR /home/node/mail
# Configuration, personas, mail and memory: all that has to outlive the container.
VOLUME /home/node/mail
# Whether the process that said it was ready is still there; /readyz of the console says more.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD node -e "process.kill(JSON.parse(require('node:fs').readFileSync('data/ready.json', 'utf8')).pid, 0)"
# An empty volume becomes a workspace; exec, so that the signal to stop reaches the gateway.
CMD [ -d configs ] || epistle init . && exec epistle start
