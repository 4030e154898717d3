import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf, SENDER } from './bench-workspace.ts';
import { type Peer, startPeer } from './peer.ts';

export interface Listener {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
}

export interface Exchange {
  readonly seconds: number;
  readonly mails: number;
}

export type Correspondent = Peer<{ sinkPort: number }>;

export const startCorrespondent = (): Promise<Correspondent> => startPeer('correspondent');

/** Has `mails` mails written to the first `personas` personas over `connections` kept-open connections. */
export async function exchange(
  correspondent: Correspondent,
  listener: Listener,
  task: { connections: number; mails: number; personas: number; answers: boolean },
): Promise<Exchange> {
  const { connections, mails, answers } = task;
  const to = Array.from({ length: task.personas }, (_, persona) => addressOf(persona));
  const question = { ...listener, from: SENDER, to, connections, mails, answers, steps: 0 };
  return asked(correspondent, question);
}

export interface Letter {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** Has these written, each once the one before is answered. */
export const correspond = (
  correspondent: Correspondent,
  listener: Listener,
  letters: readonly Letter[],
): Promise<Exchange> =>
  asked(correspondent, { ...listener, letters, connections: 1, mails: letters.length, answers: true });

async function asked(correspondent: Correspondent, question: object): Promise<Exchange> {
  const result = await correspondent.ask<Exchange & { error?: string }>(question);
  if (result.error !== undefined) throw new Error(result.error);
  return result;
}

/** The submission door of a gateway that says where it listens. */
export const doorOf = (root: string, smtp: { host: string; port: number }): Listener => ({
  ...smtp,
  secret: readFileSync(join(root, 'data/submission.secret'), 'utf8').trim(),
});

/** The sink as a mailbox of the gateway, so that answers leave through a real SMTP dialogue. */
export const sinkMailbox = (port: number): object => ({
  id: 'sink',
  smtp: {
    host: '127.0.0.1',
    port,
    tls: 'none',
    user: 'bench',
    auth: 'none',
    secret_env: 'NONE',
    tls_ca_file: null,
  },
  save_sent: false,
});
