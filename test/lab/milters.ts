import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts, untilOpen } from './ports.ts';
import type { Resolver } from './resolver.ts';

interface MilterOptions {
  readonly folder: string;
  readonly resolver: Resolver;
  /** The name that it gives its results. */
  readonly authservId: string;
}

type Setup = (options: MilterOptions & { readonly root: string; readonly port: number }) => {
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly [string, ...string[]];
};

async function startMilter(name: string, options: MilterOptions, setup: Setup) {
  const [port = 0] = await freePorts(1);
  const root = join(options.folder, name);
  await mkdir(root, { recursive: true });
  const { files, command } = setup({ ...options, root, port });
  for (const [file, text] of Object.entries(files)) await writeFile(join(root, file), text);
  await chmod(root, 0o777);
  const [program, ...args] = command;
  const begin = () => options.resolver.start(program, args);
  const running = { process: begin(), isStopping: false };
  // OpenDKIM was seen to die; whoever runs one has a system that starts it again.
  const keep = async () => {
    await running.process.exited();
    if (running.isStopping) return;
    running.process = begin();
    void keep();
  };
  await untilOpen(port, () => running.process.said());
  void keep();
  return {
    port,
    /** Once it takes connections, also after it died. */
    ready: () => untilOpen(port, () => running.process.said()),
    async stop() {
      running.isStopping = true;
      await running.process.stop();
    },
  };
}

/** Rspamd in one process, with what judges senders and nothing else, as a milter. */
export const startRspamd = (options: MilterOptions) =>
  startMilter('rspamd', options, ({ root, port }) => ({
    files: {
      // Its own list takes it fifteen seconds to compile.
      suffixes: 'com\nnet\norg\ntest\n',
      'rspamd.conf': `
options {
  pidfile = "${root}/rspamd.pid";
  filters = "dkim";
  tempdir = "${root}";
  local_addrs = [];
  control_socket = "${root}/control.sock mode=0600";
  url_tld = "${root}/suffixes";
  cache_file = "${root}/symbols.cache";
  hs_cache_dir = "${root}/";
  history_file = "${root}/history";
  dns { timeout = 2s; retransmits = 2; }
}
logging { type = "console"; level = "warning"; }
worker "rspamd_proxy" {
  bind_socket = "127.0.0.1:${port}";
  milter = yes;
  count = 1;
  timeout = 30s;
  upstream "local" { default = yes; self_scan = yes; }
}
actions { reject = 30000; add_header = 20000; greylist = 10000; }
dkim { time_jitter = 0s; }
spf { }
dmarc { }
milter_headers { use = ["authentication-results"]; skip_local = false; skip_authenticated = false; }
modules { path = "/usr/share/rspamd/plugins"; }
`,
    },
    command: ['rspamd', '--no-fork', '--insecure', '--config', join(root, 'rspamd.conf')],
  }));

export const startOpenDkim = (options: MilterOptions) =>
  startMilter('opendkim', options, ({ root, port, authservId, resolver }) => ({
    files: {
      // Its resolver would not ask this machine, nor anybody for names of tests.
      'unbound.conf': `server:\n  do-not-query-localhost: no\n  local-zone: "test." nodefault\n  module-config: iterator\n`,
      'opendkim.conf': `Mode v\nSocket inet:${port}@127.0.0.1\nAuthservID ${authservId}\nNameservers ${resolver.host}\nResolverConfiguration ${root}/unbound.conf\nSyslog no\nUMask 007\n`,
    },
    command: ['opendkim', '-f', '-x', join(root, 'opendkim.conf')],
  }));

export const startOpenDmarc = (options: MilterOptions) =>
  startMilter('opendmarc', options, ({ root, port, authservId }) => ({
    files: {
      'opendmarc.conf': `AuthservID ${authservId}\nTrustedAuthservIDs ${authservId}\nSocket inet:${port}@127.0.0.1\nRejectFailures false\nSPFSelfValidate true\nSPFIgnoreResults true\nSyslog false\nPublicSuffixList /usr/share/publicsuffix/public_suffix_list.dat\n`,
    },
    command: ['opendmarc', '-f', '-c', join(root, 'opendmarc.conf')],
  }));
