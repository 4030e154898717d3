# Epistle in a container: the package as npm packs it, on the Node it asks for, as a user without rights.
# scripts/check-package does these steps one after the other without Docker, so only RUN, COPY, ENV, WORKDIR, USER,
# VOLUME, EXPOSE, LABEL, STOPSIGNAL, HEALTHCHECK and CMD are used here, and every command has to run in any shell.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts --include=dev --no-audit --no-fund
RUN node --disable-warning=ExperimentalWarning scripts/lib/build.ts
RUN mkdir -p /packed && npm pack --silent --pack-destination /packed

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Epistle" org.opencontainers.image.licenses="MIT"
LABEL org.opencontainers.image.description="A self-hosted gateway that gives every AI persona an email address"
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
# Mail of other machines, where smtp_listener.host lets them in, and the console, where console.host does.
EXPOSE 2525 8025
STOPSIGNAL SIGTERM
# With the console on, whether the gateway can work, as /readyz says; without it, whether the process is still there that was ready.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s \
  CMD node -e "const { pid, console: c } = JSON.parse(require('node:fs').readFileSync('data/ready.json', 'utf8')); process.kill(pid, 0); if (c) fetch(c.url + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
# An empty volume becomes a workspace; exec, so that the signal to stop reaches the gateway.
CMD [ -d configs ] || epistle init . && exec epistle start
