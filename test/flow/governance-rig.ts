import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { atRest } from './at-rest.ts';
import { epistle, type Gateway, launchGateway, type Program, readOutgoing, startGateway, submit } from './gateway.ts';
import { onceRecorded } from './record.ts';
import { makeWorkspace } from './workspace.ts';

export const OWNER = 'owner@example.com';
export const MEMBER = 'mia@member.example';
export const CARL = 'carl@elsewhere.example';
export const ADA = 'ada@agents.localhost';

export const mailTo = (to: string, subject = 'Offer', more: object = {}): string =>
  `/send_email ${JSON.stringify({ to: [to], subject, body: 'Dear Carl', ...more })}`;

export type Sent = Awaited<ReturnType<typeof readOutgoing>>;
export type Office = Awaited<ReturnType<typeof openOffice>>;

type Files = Readonly<Record<string, string | object>>;
type Variables = Readonly<Record<string, string>>;

/**
 * A gateway of its own and the people around it: who asks, who owns, and what reached whom; `command` runs its CLI. Each
 * of its lives is hosted, but for those that `launch` begins.
 */
export const openOffice = (files: Files = {}, environment: Variables = {}, command: typeof epistle = epistle) =>
  officeOf(startGateway, { files, environment, command });

/** The same with a process of its own for each life. */
export const launchOffice = (files: Files = {}, environment: Variables = {}, command: typeof epistle = epistle) =>
  officeOf(launched, { files, environment, command });

const launched = (root: string, environment: Variables): Promise<Program> => launchGateway(root, environment).ready;

async function officeOf(
  start: (root: string, environment: Variables) => Promise<Gateway>,
  { files, environment, command }: { files: Files; environment: Variables; command: typeof epistle },
) {
  const workspace = makeWorkspace({
    'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 } },
    ...files,
  });
  const running: { gateway: Gateway | Program } = { gateway: await start(workspace.root, environment) };
  const end = () => running.gateway.end();
  const ahead = { ms: 0 };
  const { root } = workspace;
  const folder = join(root, 'data/outgoing');

  /** Mail of a kind that has left, in order, optionally to somebody. */
  async function left(kind: string, to?: string): Promise<Sent[]> {
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
    const mails = await Promise.all(names.toSorted().map((name) => readOutgoing(join(folder, name))));
    return mails.filter(
      ({ mail, envelopeTo }) =>
        mail.headers.get('x-epistle-kind') === kind && (to === undefined || envelopeTo.includes(to)),
    );
  }
  /** Waits until exactly so many have left; the newest. */
  const arrival = (kind: string, to?: string, count = 1): Promise<Sent> =>
    onceRecorded(root, async () => {
      const found = await left(kind, to);
      expect(found.map(({ mail }) => mail.subject)).toHaveLength(count);
      return found.at(-1) as Sent;
    });

  const post = (mail: Omit<Parameters<typeof submit>[2], 'from' | 'to'> & { from?: string; to?: string }) =>
    submit(root, running.gateway.ready, { from: OWNER, to: ADA, ...mail });

  return {
    root,
    workspace,
    /** Of the gateway that runs now. */
    ready: () => running.gateway.ready,
    async left(kind: string, to?: string): Promise<Sent[]> {
      await atRest(root);
      return left(kind, to);
    },
    arrival,
    post,
    cli: (...args: string[]) => command(root, args),
    /** The member's request; resolves when it is done or waits, and what follows from that has been tried. */
    async ask(text: string, from = MEMBER, subject = 'A request') {
      const told = await command(root, ['send', '--to', ADA, '--from', from, '--subject', subject, '--wait=180'], text);
      await atRest(root);
      return told;
    },
    /** The owner answers a notice as a mail client would. */
    answer: (notice: Sent, text: string, mail: Partial<Parameters<typeof post>[0]> = {}) =>
      post({
        to: notice.mail.replyTo?.value[0]?.address ?? ADA,
        subject: `Re: ${notice.mail.subject}`,
        inReplyTo: notice.mail.messageId ?? '',
        references: [notice.mail.references ?? [], notice.mail.messageId ?? ''].flat(),
        text,
        ...mail,
      }),
    codeOf: async (messageId: string): Promise<string | null> =>
      (await command(root, ['why', messageId])).json.entries[0].code,
    states: async (): Promise<string[]> =>
      (await command(root, ['approvals', 'list'])).json.approvals
        .map(({ state }: { state: string }) => state)
        .toReversed(),
    /** Of the gateway that runs now. */
    log: () => running.gateway.log(),
    stop: () => running.gateway.stop(),
    /** Stops the gateway, or kills one that was launched, and starts another. */
    async restart(changed: Variables = environment): Promise<Gateway> {
      await end();
      const gateway = await start(root, changed);
      running.gateway = gateway;
      return gateway;
    },
    /** So many hours later: what was written before is no mail of the last hour any more. */
    async later(hours = 2): Promise<void> {
      ahead.ms += hours * 3_600_000;
      const now = new Date(Date.now() + ahead.ms).toISOString();
      await end();
      running.gateway = await start(root, { ...environment, NODE_ENV: 'test', EPISTLE_TEST_NOW: now });
    },
    /** The same with another in a process of its own. */
    async launch(changed: Variables = environment): Promise<Program> {
      await end();
      const program = await launched(root, changed);
      running.gateway = program;
      return program;
    },
    async close() {
      await end();
      workspace.remove();
    },
  };
}
