import { EngineError } from '#contract';
import { isRefusal } from '../../../actions/refusal.ts';
import { requeue } from '../../../app/refused/take-in-after-all.ts';
import { deadLetterOf, listDeadLetters, sourceOf } from '../../../queries/mail/dead-letters.ts';
import { deadLetterShape } from '../../../queries/shapes.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { PAGE_OPTIONS, pageOf } from '../../command/page-options.ts';
import { indented } from '../../text/indented.ts';
import { ABOUT_COLUMNS, shortId } from '../../text/listed.ts';
import { atHere } from '../../text/local-time.ts';
import { byCommand, takenInShape, takenInWords } from './take-in-kept.ts';

const list = defineCommand({
  name: 'deadletters list',
  summary: 'Newest first',
  options: PAGE_OPTIONS,
  async run({ open }, { options }) {
    if (options.status !== undefined) throw new EngineError('usage', 'dead letters have no status');
    return listDeadLetters(open({ tolerant: true }), pageOf(options));
  },
  rows: ({ dead_letters }) => dead_letters,
  times: true,
  columns: {
    AT: ({ at }) => atHere(at),
    PERSONA: ({ persona }) => persona ?? '-',
    ...ABOUT_COLUMNS,
    CODE: ({ code }) => code,
    WHY: ({ message }) => message.slice(0, 60),
    ID: ({ id }) => shortId(id),
  },
  empty: 'No dead letters.',
});

const SHOWN_BYTES = 4000;

const beginOf = (source: Buffer): string =>
  source.subarray(0, SHOWN_BYTES).toString('utf8').replaceAll('\r\n', '\n').trimEnd();

const show = defineCommand({
  name: 'deadletters show',
  summary: 'One of them with the begin of its source',
  arguments: ['<id>'],
  run: async ({ open }, { args: [id] }) => ({
    dead_letter: deadLetterShape(await deadLetterOf(open({ tolerant: true }), id)),
  }),
  text({ dead_letter: letter }) {
    const source = sourceOf(letter);
    return [
      `${letter.code} at ${letter.stage}: ${letter.message}`,
      `  mail     ${letter.message_id}`,
      `  persona  ${letter.persona ?? 'none'}`,
      `  source   ${letter.raw_path ?? 'not kept'}`,
      ...(source ? ['', indented(`  ${beginOf(source)}`, '  ')] : []),
    ].join('\n');
  },
});

const requeueCommand = defineCommand({
  name: 'deadletters requeue',
  summary: 'Take it in again, for instance after a limit was raised; what only its mailbox has is fetched from there',
  arguments: ['<id>'],
  async run({ open }, { args: [id] }) {
    const workspace = open();
    const letter = await deadLetterOf(workspace, id);
    const requeued = await requeue(byCommand(workspace), letter);
    return isRefusal(requeued) ? requeued : { letter, requeued };
  },
  json: ({ letter, requeued }) => ({
    dead_letter: deadLetterShape(letter),
    ...takenInShape(requeued),
  }),
  text: ({ requeued }) => takenInWords(requeued),
  exitCode: ({ requeued }) => (requeued.isDone ? 0 : 1),
});

export const deadLetters: Group = {
  name: 'deadletters',
  summary: 'Mail that could not be taken in',
  commands: [list, show, requeueCommand],
};
