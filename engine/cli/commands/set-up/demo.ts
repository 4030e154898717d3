import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway } from '../../../app.ts';
import { silentLog } from '../../../lib/log/log.ts';
import { firstHeader, readHeaders } from '../../../mail/mime/headers.ts';
import type { ParsedMail } from '../../../mail/mime/types.ts';
import { createMailParser } from '../../../mail/reading/parse.ts';
import { entriesOf } from '../../../queries/mail/why.ts';
import { openWorkspace, type Workspace } from '../../../workspace.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand } from '../../command/define.ts';
import { describeResults } from '../../submit/results.ts';
import { submitMail } from '../../submit/submit-mail.ts';
import type { SubmitResult } from '../../submit/types.ts';
import { ownerOf, writeMail } from '../../submit/write-mail.ts';
import { createPaint, type Paint } from '../../text/paint.ts';
import { entriesText } from '../mail/why.ts';
import { writeTemplates } from './templates.ts';

export const demo = defineCommand({
  name: 'demo',
  withoutWorkspace: true,
  summary: 'A guided show in a temporary workspace: no account, no key, gone when it is over',
  run: runDemo,
  text({ steps }, { command }) {
    const failed = steps.filter(({ ok }) => !ok);
    return failed.length === 0
      ? `That was it; the temporary workspace is gone.\nWith a mailbox of yours: ${command('setup')}`
      : `Something went otherwise than it should: ${failed.map(({ title }) => title).join('; ')}`;
  },
  exitCode: ({ steps }) => (steps.every(({ ok }) => ok) ? 0 : 5),
});

async function runDemo(context: CommandContext): Promise<{ steps: readonly Shown[] }> {
  const say = context.json ? () => {} : context.print;
  const root = mkdtempSync(join(tmpdir(), 'epistle-demo-'));
  // Ctrl-C in the middle of the show must not leave its workspace behind.
  process.once('SIGINT', () => {
    rmSync(root, { recursive: true, force: true });
    process.exit(130);
  });
  const write = (path: string, value: object) => writeFileSync(join(root, path), JSON.stringify(value));
  try {
    writeTemplates(root);
    write('configs/gateway.json', { smtp_listener: { port: 0 } });
    // Whatever key is in the environment, the show costs nothing and says the same each time.
    write('configs/inference.json', { provider: 'offline' });
    write('configs/system.json', { console: { enabled: false } });
    // By a rule an owner is asked even about what her own mail spells out.
    write('configs/security.json', { owners: [OWNER], tool_policy: { tools: { send_email: 'approve' } } });
    const workspace = openWorkspace({ root, settings: context.settings, makeLog: () => silentLog });
    try {
      const { unhandledRejections } = context;
      const gateway = createGateway(workspace, { unhandledRejections });
      const { smtp, personas } = await gateway.start();
      say(
        `A gateway runs in ${root}, on ${smtp?.host ?? '?'} port ${smtp?.port ?? '?'}, with ${personas.map(({ address }) => address).join(' and ')}.`,
      );
      say('No model is called: the provider `offline` runs the tool calls that a mail spells out.\n');
      try {
        const paint = createPaint(context.settings.noColor);
        return { steps: await show(demoSteps(workspace, context), say, paint) };
      } finally {
        await gateway.stop();
      }
    } finally {
      await workspace.close();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

type Shown = { readonly title: string; readonly ok: boolean; readonly text: string };

async function show(steps: readonly DemoStep[], say: (line: string) => void, paint: Paint): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const [index, { title, command, run }] of steps.entries()) {
    say(paint('bold', `${index + 1}. ${title}`));
    say(paint('dim', `   $ ${command}`));
    const { ok, text } = await run();
    say(`${text.trimEnd().replaceAll(/^/gm, '   ')}\n`);
    shown.push({ title, ok, text });
  }
  return shown;
}

interface DemoStep {
  readonly title: string;
  /** What one would type for it. */
  readonly command: string;
  run(): Promise<{ ok: boolean; text: string }>;
}

const WAIT_MS = 20_000;
const ADA = 'ada@agents.localhost';
const OWNER = 'you@agents.localhost';
const BOB = 'bob@customer.example';
const LOOK_MS = 50;

/** The show: each step is a real mail, taken in like any other. Later steps use what earlier ones left. */
function demoSteps(workspace: Workspace, { command, hint }: Pick<CommandContext, 'command' | 'hint'>): DemoStep[] {
  const owner = ownerOf(workspace);
  const kept: { raw: Uint8Array; messageId: string }[] = [];

  const send = async (mail: { raw: Uint8Array; messageId: string }, from: string) => {
    const letter = { ...mail, from, to: [ADA], asSubmission: true };
    const [result] = await submitMail(workspace, letter, WAIT_MS);
    return { result, text: describeResults(mail.messageId, result ? [result] : [], hint) };
  };
  const write = async (from: string, subject: string, text: string) => {
    const mail = await writeMail(workspace, { from, to: [ADA], subject, text });
    kept.push(mail);
    return send(mail, from);
  };
  const first = () => kept[0] ?? { raw: new Uint8Array(), messageId: '<none@invalid>' };
  const asked: ParsedMail[] = [];
  const folder = join(workspace.dataDir, 'outgoing');
  /** Without a mailbox all mail that leaves is put into this folder, where the show finds it. */
  const sent = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.eml'))
      .map((name) => {
        const raw = readFileSync(join(folder, name));
        const { lines } = readHeaders(raw);
        return { raw, to: firstHeader(lines, 'x-envelope-to'), kind: firstHeader(lines, 'x-epistle-kind') };
      });
  /** The mail of a kind (null: of any) to somebody, once it has left; null where none does in time. */
  const arrival = async (kind: string | null, to: string): Promise<ParsedMail | null> => {
    const until = workspace.clock.now() + WAIT_MS;
    for (;;) {
      const found = sent().find((mail) => mail.to === to && (kind === null || mail.kind === kind));
      if (found) return read(found.raw);
      if (workspace.clock.now() > until) return null;
      await workspace.clock.sleep(LOOK_MS);
    }
  };
  const read = async (raw: Uint8Array): Promise<ParsedMail | null> => {
    const parser = createMailParser({ limits: workspace.live.current().gateway.limits });
    try {
      const parsed = await parser.parse(raw);
      return parsed.ok ? parsed.mail : null;
    } finally {
      await parser.close();
    }
  };
  const decided = (result: SubmitResult | undefined, decision: string) => result?.decision === decision;

  return [
    {
      title: 'You write to Ada, and she answers in the thread',
      command: `echo "Good morning, Ada." | ${command(`send --to ${ADA} --subject Hello --wait`)}`,
      async run() {
        const { result, text } = await write(owner, 'Hello', 'Good morning, Ada.');
        return { ok: result?.outcome === 'final', text };
      },
    },
    {
      title: 'She uses tools: she writes a file of her own, and reads it',
      command: `${command(`send --to ${ADA} --subject Notes --wait`)}   (the mail spells out two tool calls)`,
      async run() {
        const calls = [
          '/write_file {"path": "notes.txt", "content": "Tea at four."}',
          '/read_file {"path": "notes.txt"}',
        ];
        const { result, text } = await write(owner, 'Notes', `Please keep this.\n${calls.join('\n')}\n`);
        return { ok: /read_file: ok/.test(result?.reply?.text ?? ''), text };
      },
    },
    {
      title: 'Mail to others needs your yes: she asks you before anything is sent',
      command: `${command(`send --to ${ADA} --subject Offer --wait`)}   (the mail spells out a mail to ${BOB})`,
      async run() {
        const mail = { to: [BOB], subject: 'Your offer', body: 'Two wheels, 90 euros.' };
        await write(owner, 'Offer', `Please send this.\n/send_email ${JSON.stringify(mail)}\n`);
        const question = await arrival('approval', owner);
        asked.push(...(question ? [question] : []));
        const isSent = sent().some(({ to }) => to === BOB);
        return { ok: question !== null && !isSent, text: question ? shownMail(question) : 'no question came' };
      },
    },
    {
      title: 'You answer that mail with yes, and exactly what it showed is sent',
      command: 'the answer button of a mail program; then: yes',
      async run() {
        const [question] = asked;
        const reply = question?.replyTo[0]?.address;
        if (question === undefined || reply === undefined) return { ok: false, text: 'there is no question to answer' };
        const { messageId: inReplyTo, subject } = question;
        const mail = await writeMail(workspace, {
          from: owner,
          to: [reply],
          subject: `Re: ${subject}`,
          text: 'yes',
          inReplyTo,
        });
        const letter = { ...mail, from: owner, to: [reply], asSubmission: true };
        const [result] = await submitMail(workspace, letter, WAIT_MS);
        const left = await arrival(null, BOB);
        const text = left ? shownMail(left) : 'nothing was sent';
        return { ok: result?.code === 'approval_answer' && left !== null, text };
      },
    },
    {
      title: 'A stranger writes: refused, no model is asked, nothing leaves',
      command: command(`send --from mallory@stranger.example --to ${ADA} --subject Offer`),
      async run() {
        const { result, text } = await write('mallory@stranger.example', 'Offer', 'Buy my tea.');
        return { ok: decided(result, 'refused'), text };
      },
    },
    {
      title: 'Your first mail arrives again, as mail does: it is answered once',
      command: command('deliver hello.eml --as-submission --wait'),
      async run() {
        const { result, text } = await send(first(), owner);
        return { ok: decided(result, 'duplicate'), text };
      },
    },
    {
      title: 'Why? Everything that became of a mail is on record',
      command: command('why <message-id>'),
      async run() {
        const entries = await entriesOf(workspace, first().messageId);
        return { ok: entries.length === 2, text: entriesText(entries, hint) };
      },
    },
  ];
}

/** A mail as it is read on a screen; what its buttons open is no text. */
const shownMail = ({ to, subject, text }: ParsedMail): string => {
  const shown = text.replace(/ \[[^\]\s]*\]/g, '').trim();
  return [`To: ${to.map(({ address }) => address).join(', ')}`, `Subject: ${subject}`, '', shown].join('\n');
};
