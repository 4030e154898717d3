import { entriesOf } from '../../../queries/mail/why.ts';
import type { Workspace } from '../../../workspace.ts';
import type { CommandContext } from '../../command/context.ts';
import { describeResults } from '../../submit/results.ts';
import { submitMail } from '../../submit/submit-mail.ts';
import type { SubmitResult } from '../../submit/types.ts';
import { ownerOf, writeMail } from '../../submit/write-mail.ts';
import { entriesText } from '../mail/why.ts';

export interface DemoStep {
  readonly title: string;
  /** What one would type for it. */
  readonly command: string;
  run(): Promise<{ ok: boolean; text: string }>;
}

const WAIT_MS = 20_000;
const ADA = 'ada@agents.localhost';

/** The show: each step is a real mail, taken in like any other. Later steps use what earlier ones left. */
export function demoSteps(
  workspace: Workspace,
  { command, hint }: Pick<CommandContext, 'command' | 'hint'>,
): DemoStep[] {
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
