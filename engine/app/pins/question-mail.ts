import { z } from 'zod';
import type { Persona } from '../../config/types.ts';
import { noticeOf, type OwnerMailDeps, writeInEach } from '../../delivery/notices/owner-mail.ts';
import { answerAddress, boxOf, choices, closing, inLine, visible } from '../../delivery/questions/approval-text.ts';
import { enclose, wantedText } from '../../delivery/questions/enclosures.ts';
import { toolName } from '../../extensions/mcp/tools.ts';
import {
  differenceOf,
  hashOfPins,
  type Pin,
  type ServerPins,
  type ToolChange,
} from '../../extensions/pins/difference.ts';
import type { ToolPins } from '../../extensions/pins/tool-pins.ts';
import type { Language } from '../../languages/language.ts';
import { byLanguage } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import { readJson } from '../../lib/json.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import { defineJob, handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { ToolQuestion } from '../../storage/types/gateway.ts';

/** Asks owners whether tools of a server may be used as they are. */
export const toolsQuestion = defineJob('tools_question', z.object({ notice_id: z.string(), to: z.array(z.string()) }));

/** So many stand in the mail itself; the rest is in the file beside it. */
const SHOWN = 8;
const MAX_SHOWN = 1200;
const MAX_NAME = 80;

/** Writes the one mail about what a server shows otherwise than it was allowed, under a token of its own. */
export function createToolsQuestionWriter(
  deps: OwnerMailDeps & { readonly gateway: Pick<GatewayStore, 'toolQuestion'>; readonly toolPins: ToolPins },
): JobHandler {
  return handleJobs(toolsQuestion, async (persona, job, store) => {
    const question = await deps.gateway.toolQuestion(job.payload.notice_id);
    const offer = question && offerIn(question);
    if (!question || !offer) return store.endJob(job.id);
    const { server, until } = question;
    const pinned = deps.toolPins.now().of(server);
    const changes = differenceOf(offer, pinned);
    // Somebody was faster, at the machine itself.
    if (changes.length === 0 || question.verdict !== null) return store.endJob(job.id);
    const token = deps.ids.random(16);
    const readers = await byLanguage(store, persona, job.payload.to);
    const mail = await writeInEach(deps, persona, readers, (asking) => {
      const { language } = asking;
      const { files, nameOf } = enclose([
        wantedText('all', `${server}-tools`, wholeText(server, { changes, offer }, language)),
      ]);
      const file = nameOf('all');
      // What cannot be shown whole cannot be agreed to by mail.
      const isAnswerable = file !== null;
      const subject = say(language, 'mails.asks', {
        name: persona.name,
        question: say(language, 'pinnedTools.subject', { server }),
      });
      const replyTo = isAnswerable ? answerAddress(persona, token) : null;
      return {
        kind: 'notice',
        purpose: job.id,
        subject,
        namesItself: true,
        replyTo,
        headers: {},
        files,
        text: [
          ...questionBlocks(server, { changes, isNew: pinned === null, file }, language),
          ...(replyTo === null
            ? [text(say(language, 'pinnedTools.byCommand', { command: commandFor(deps, server, 'allow') }))]
            : answerBlocks(asking, { replyTo, subject, until, token })),
        ],
      };
    });
    await store.sendNotice({ ...noticeOf(deps, mail, token), id: question.notice_id }, mail, job.id);
  });
}

/** As it is typed where Epistle runs. */
export const commandFor = ({ hint }: Pick<OwnerMailDeps, 'hint'>, server: string, what: 'allow' | 'check'): string => {
  const command = `\`epistle extensions ${what} ${server}\``;
  return hint?.(command) ?? command;
};

const text = (words: string): LetterBlock => ({ kind: 'text', text: words });

function answerBlocks(
  { language, timezone }: Pick<Persona, 'language' | 'timezone'>,
  { replyTo, subject, until, token }: { replyTo: string; subject: string; until: number; token: string },
): LetterBlock[] {
  return [
    text(say(language, 'pinnedTools.how')),
    choices(replyTo, subject, [
      { label: say(language, 'mails.buttons.approve'), tone: 'go', body: say(language, 'mails.answers.yes') },
      { label: say(language, 'mails.buttons.deny'), tone: 'stop', body: say(language, 'mails.answers.no') },
    ]),
    ...closing({ until, remindAt: null, token, tapping: true }, { language, zone: timezone }),
  ];
}

/** What is new, changed or gone, in the server's words inside of frames. Pure. */
export function questionBlocks(
  server: string,
  { changes, isNew, file }: { changes: readonly ToolChange[]; isNew: boolean; file: string | null },
  language: Language,
): LetterBlock[] {
  const left = changes.length - SHOWN;
  return [
    text(isNew ? say(language, 'pinnedTools.isNew', { server }) : say(language, 'pinnedTools.hasChanged', { server })),
    text(say(language, 'pinnedTools.beware')),
    ...changes.slice(0, SHOWN).flatMap((change) => changeBlocks(server, change, { file, language })),
    ...(left > 0 && file !== null ? [text(say(language, 'pinnedTools.more', { count: left, file }))] : []),
    ...(file === null ? [] : [text(say(language, 'pinnedTools.enclosed', { file }))]),
  ];
}

/** Its name in the trace, and behind it as the server writes it, where that is another one. */
const nameOfTool = (server: string, name: string): string => {
  const own = toolName(server, name);
  return own === `${server}_${name}` ? own : `${own} (${inLine(name, MAX_NAME)})`;
};

function changeBlocks(
  server: string,
  change: ToolChange,
  { file, language }: { file: string | null; language: Language },
): LetterBlock[] {
  const box = (label: string, said: string | null): LetterBlock[] =>
    said === null ? [] : [boxOf({ label, text: said, as: 'code', most: MAX_SHOWN }, file, language)];
  return [
    {
      kind: 'heading',
      text: `${nameOfTool(server, change.name)}: ${say(language, `pinnedTools.change.${change.change}`)}`,
    },
    ...partsOf(change, language).flatMap(({ label, said }) => box(label, said)),
    ...riskOf(change, language).map(text),
  ];
}

/** What it says now, and before it what that takes the place of; nothing of one that is gone. */
function partsOf({ change, description, schema }: ToolChange, language: Language) {
  if (change === 'removed') return [];
  const parts = [
    { ...description, is: say(language, 'pinnedTools.says'), was: say(language, 'pinnedTools.said') },
    { ...schema, is: say(language, 'pinnedTools.takes'), was: say(language, 'pinnedTools.took') },
  ];
  const differing = parts.filter(({ before, now }) => before !== now);
  // Of a text that is longer than what is kept of it, both may begin alike.
  if (differing.length === 0) return parts.map(({ now, is }) => ({ label: is, said: now }));
  return differing.flatMap(({ before, now, is, was }) => [
    { label: is, said: now },
    { label: was, said: before },
  ]);
}

function riskOf({ change, only_reads, destroys }: ToolChange, language: Language): string[] {
  if (change === 'removed') return [];
  const isSame = only_reads.before === only_reads.now && destroys.before === destroys.now;
  if (isSame) return [];
  if (destroys.now === true) return [say(language, 'pinnedTools.risk.destroys')];
  return [
    only_reads.now === true ? say(language, 'pinnedTools.risk.onlyReads') : say(language, 'pinnedTools.risk.writes'),
  ];
}

/** The same of all of them, with nothing left out, and below it what else a yes is about: tools that are as they were. */
export function wholeText(
  server: string,
  { changes, offer }: { readonly changes: readonly ToolChange[]; readonly offer: ServerPins },
  language: Language,
): string {
  const rest = differenceOf(offer, null).filter(({ name }) => !changes.some((change) => change.name === name));
  const told = [
    ...changes.map((change) => ({ change, of: `: ${say(language, `pinnedTools.change.${change.change}`)}` })),
    ...rest.map((change) => ({ change, of: '' })),
  ];
  return told
    .map(({ change, of }) =>
      [
        `${nameOfTool(server, change.name)}${of}`,
        ...riskOf(change, language),
        ...partsOf(change, language).flatMap(({ label, said }) =>
          said === null
            ? []
            : [
                '',
                `${label}:`,
                ...visible(said)
                  .split('\n')
                  .map((line) => `  ${line}`),
              ],
        ),
      ].join('\n'),
    )
    .join('\n\n');
}

/** The names of what is pinned, for one line. */
export const namesIn = (server: string, pins: ServerPins): string =>
  [...pins.keys()].map((name) => nameOfTool(server, name)).join(', ');

// All tools of a server as a mail showed them, kept until it is answered.

const pin = z.object({
  description_sha256: z.string(),
  schema_sha256: z.string(),
  only_reads: z.boolean(),
  destroys: z.boolean(),
  description: z.string(),
  schema: z.string(),
});
const stored = z.array(z.tuple([z.string(), pin]));

export const offerOf = (tools: ServerPins): Pick<ToolQuestion, 'offer' | 'offer_sha256'> => ({
  offer: JSON.stringify([...tools]),
  offer_sha256: hashOfPins(tools),
});

/** Null where it is not what was asked about. */
export function offerIn({
  offer,
  offer_sha256: hash,
}: Pick<ToolQuestion, 'offer' | 'offer_sha256'>): ServerPins | null {
  const tools = new Map<string, Pin>(readJson(stored, offer) ?? []);
  return hashOfPins(tools) === hash ? tools : null;
}
