import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '../../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../../fakes/model-server.ts';
import { eventually } from '../eventually.ts';
import { epistle, type Gateway, readOutgoing, startGateway, submit } from '../gateway.ts';
import { openPersonaDb, runsEnded } from '../persona-db.ts';
import { makeWorkspace } from '../workspace.ts';

export const MEMBER = 'mia@member.example';
export const OWNER = 'owner@example.com';

/** A provider folder that speaks chat completions, with one model `m`. */
export const provider = (name: string, model: object = {}): [string, object] => [
  `extensions/providers/${name}/manifest.json`,
  {
    name,
    kind: 'provider',
    api: 1,
    summary: name,
    adapter: 'openai-compatible',
    models: { m: { context_tokens: 100_000, max_output_tokens: 1000, ...model } },
  },
];

export const persona = (name: string, more: object = {}): [string, object] => [
  `personas/${name}/persona.json`,
  { name, address: `${name}@agents.localhost`, access: { allow: ['*@member.example'] }, ...more },
];

export type Office = Awaited<ReturnType<typeof openOffice>>;

/** The real gateway between real SMTP and models that speak their vendor's wire; one fake for each name. */
export async function openOffice(
  scripts: Readonly<Record<string, Script>>,
  files: (baseUrls: Readonly<Record<string, string>>) => Readonly<Record<string, string | object>>,
) {
  const started = await Promise.all(
    Object.entries(scripts).map(async ([name, script]) => [name, await startFakeModel('openai', script)] as const),
  );
  const models: Readonly<Record<string, FakeModel>> = Object.fromEntries(started);
  const baseUrls = Object.fromEntries(started.map(([name, { baseUrl }]) => [name, baseUrl]));
  const workspace = makeWorkspace(files(baseUrls));
  const { root } = workspace;
  /** Where tools of the workspace may note what happens to them. */
  const notes = join(root, 'notes.txt');
  const clock: { now: string | null } = { now: null };
  const environment = (): Record<string, string> => ({
    ...(clock.now === null ? {} : { NODE_ENV: 'test', EPISTLE_TEST_NOW: clock.now }),
  });
  const running: { gateway: Gateway } = { gateway: await startGateway(root, environment()) };

  const withDb = <Result>(name: string, read: (db: ReturnType<typeof openPersonaDb>) => Result): Result => {
    const db = openPersonaDb(root, name);
    try {
      return read(db);
    } finally {
      db.close();
    }
  };
  /** What is on record of the run of a mail. */
  const recordOf = (name: string, messageId: string) =>
    withDb(name, (db) => {
      const run = db.runOf(messageId);
      if (!run) throw new Error(`no run for ${messageId}`);
      return {
        ...run,
        text: db.replyText(run),
        rows: db.toolEvents(run.id),
        events: db.events(run.id),
        finals: db.outbox().filter((mail) => mail.run_id === run.id && mail.purpose === 'final'),
      };
    });
  const sent = { count: 0 };

  return {
    root,
    workspace,
    withDb,
    recordOf,
    noted: () => (existsSync(notes) ? readFileSync(notes, 'utf8') : ''),
    requestsOf: (name: string) => models[name]?.requests ?? [],
    post: (to: string, subject: string, text = 'Please.', from = MEMBER) => {
      sent.count += 1;
      const messageId = `<${sent.count}@member.example>`;
      const mail = { from, to: `${to}@agents.localhost`, subject, text, messageId };
      return submit(root, running.gateway.ready, mail).then(() => messageId);
    },
    /** The member goes on with a thread. */
    reply: (to: string, inReplyTo: string, text: string) => {
      sent.count += 1;
      const messageId = `<${sent.count}@member.example>`;
      const mail = { from: MEMBER, to: `${to}@agents.localhost`, subject: 'Re: it', text, messageId };
      return submit(root, running.gateway.ready, { ...mail, inReplyTo, references: [inReplyTo] }).then(() => messageId);
    },
    /** One mail from the member, worked to its end. */
    async ask(to: string, subject: string) {
      const messageId = await this.post(to, subject);
      const before = withDb(to, (db) => db.runs().length);
      await runsEnded(root, to, before, 90_000);
      return recordOf(to, messageId);
    },
    cli: (...args: string[]) => epistle(root, args, '', environment()),
    status: async () => (await epistle(root, ['status'], '', environment())).json,
    /** Stops the gateway and starts another, whose clock begins at `now`. */
    async restart(now: string | null = null) {
      await running.gateway.end();
      clock.now = now;
      running.gateway = await startGateway(root, environment());
    },
    /** Subjects of what a persona wrote to somebody, once there are `count`. */
    mailTo: (name: string, to: string, count: number) =>
      eventually(
        async () => {
          const folder = join(root, 'data/outgoing');
          const names = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.eml')) : [];
          const mails = await Promise.all(names.toSorted().map((file) => readOutgoing(join(folder, file))));
          return mails
            .filter(({ envelopeFrom, envelopeTo }) => envelopeFrom.startsWith(`${name}@`) && envelopeTo === to)
            .map(({ mail }) => mail.subject ?? '');
        },
        (subjects) => subjects.length >= count,
        20_000,
      ),
    async close() {
      await running.gateway.end();
      await Promise.all(started.map(([, model]) => model.stop()));
      workspace.remove();
    },
  };
}
