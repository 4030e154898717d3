import { setTimeout as sleep } from 'node:timers/promises';
import { makeBenchWorkspace } from '../bench-workspace.ts';
import { median, rounded } from '../figures.ts';
import { launch } from '../gateway.ts';
import { startPeer } from '../peer.ts';

/**
 * Resident memory of a gateway that watches one mailbox with IDLE and has nothing to do: of a second start, since the
 * first one after a change of the source compiles, and holds 15 MB more for that.
 */
export async function measureIdle(settleMs: number): Promise<number> {
  await idleMb(settleMs);
  return idleMb(settleMs);
}

async function idleMb(settleMs: number): Promise<number> {
  const imap = await startPeer<{ port: number }>('imap-server');
  const mailbox = {
    id: 'main',
    imap: {
      host: '127.0.0.1',
      port: imap.hello.port,
      tls: 'none',
      user: 'agents@example.com',
      auth: 'password',
      secret_env: 'BENCH_MAILBOX_PASSWORD',
      folder: 'INBOX',
      processed: 'seen',
      authserv_id: null,
      first_connect: 'now',
      tls_ca_file: null,
    },
  };
  const workspace = makeBenchWorkspace({ personas: 2, modelUrl: null, mailboxes: [mailbox] });
  const gateway = await launch(workspace.root, { BENCH_MAILBOX_PASSWORD: 'secret' });
  try {
    const state = gateway.mailboxState('main');
    if (state !== 'connected') throw new Error(`the mailbox is ${state}`);
    const seen: number[] = [];
    for (let look = 0; look < 5; look += 1) {
      await sleep(settleMs / 5);
      seen.push(gateway.rssMb());
    }
    return rounded(median(seen.slice(2)), 0);
  } finally {
    await gateway.stop();
    await imap.stop();
    workspace.remove();
  }
}
