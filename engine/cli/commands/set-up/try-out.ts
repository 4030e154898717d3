import { EngineError } from '#contract';
import { isRefusal } from '../../../actions/refusal.ts';
import { EYES, isEyes } from '../../../actions/test-mail.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import { type HeldCall, type TestShape, testMail } from '../../../queries/runs/test-mail.ts';
import { outcomeInWords, reasonInWords, runInWords } from '../../../queries/state-words.ts';
import { defineCommand } from '../../command/define.ts';
import { millisecondsOf } from '../../command/wait-option.ts';
import { sayIfAlone } from '../../submit/say-if-alone.ts';
import { workUntilEnded } from '../../submit/work-until-ended.ts';
import { indented, inOneLine } from '../../text/indented.ts';

const WAIT_S = 600;

export const tryOut = defineCommand({
  name: 'persona try',
  summary:
    'See what a persona would answer to a mail of a stranger, a member or an owner: nothing is done and nothing is sent',
  examples: [
    [
      'persona try ada --as stranger --subject "Prices" --text "What does a room cost?"',
      'what somebody would be answered',
    ],
    ['persona try ada --as owner < letter.txt', 'with the eyes of the first owner'],
  ],
  arguments: ['<id>'],
  options: {
    as: { flags: '--as <whose>', about: `with whose eyes: ${EYES.join(', ')}`, required: true },
    subject: { flags: '--subject <text>', about: 'the subject', fallback: '' },
    text: { flags: '--text <text>', about: 'what they would write; otherwise it is read from stdin' },
    wait: { flags: '--wait <seconds>', about: `how long to wait for the answer (default: ${WAIT_S})` },
  },
  async run(context, { args: [named], options }) {
    const { as, subject } = options;
    if (!isEyes(as)) throw new EngineError('usage', `--as is one of ${EYES.join(', ')}`);
    const waitMs = millisecondsOf('--wait', options.wait, WAIT_S);
    const workspace = context.open();
    const { id } = personaNamed(workspace, named);
    const text =
      options.text ?? (await context.readBody('Write the mail to be tried; Ctrl-D on a line of its own ends it.'));
    const { beginTestMail } = await import('../../../app/test-mail.ts');
    const begun = await beginTestMail(workspace, workspace.announce, { persona: id, as, subject, text, by: 'cli' });
    if (isRefusal(begun)) return begun;
    if (begun.kind === 'turned_away') return { test: null, turned_away: begun };
    sayIfAlone(context, workspace);
    await workUntilEnded(workspace, id, begun.runId, waitMs);
    return { test: await testMail(workspace, { persona: id, id: begun.runId }), turned_away: null };
  },
  text: ({ test, turned_away: turned }, { hint, command }) => {
    if (turned) return [turned.said, ...(turned.cure === null ? [] : [`  ${hint(turned.cure)}`])].join('\n');
    return test === null ? '' : inWords(test, command);
  },
  exitCode: ({ test, turned_away: turned }) => {
    if (turned) return 1;
    if (test?.run.status === 'done') return 0;
    return test?.run.status === 'failed' || test?.run.status === 'cancelled' ? 5 : 3;
  },
});

const WOULD: Readonly<Record<HeldCall['would'], string>> = {
  be_done: 'would be done',
  be_asked_about: 'would be asked about',
  be_denied: 'would be denied',
};

function inWords({ run, answer, held }: TestShape, command: (words: string) => string): string {
  const what = run.outcome === null ? runInWords(run.status) : outcomeInWords(run.outcome);
  const why = run.code === null ? '' : `: ${reasonInWords(run.code)}`;
  return [
    `A test: nothing was done, and nothing was sent. ${what}${why}.`,
    ...(answer === null
      ? []
      : [
          '',
          answer.mode === 'draft' ? 'This would lie in Drafts:' : 'This would be mailed:',
          `  Subject: ${inOneLine(answer.subject)}`,
          '',
          indented(`  ${answer.text.trimEnd()}`, '  '),
        ]),
    ...(held.length === 0 ? [] : ['', 'Held:']),
    ...held.map(
      ({ tool, would, by, arguments: args }) =>
        `  ${tool} ${WOULD[would]} (${by.replaceAll('_', ' ')}): ${inOneLine(JSON.stringify(args))}`,
    ),
    '',
    `It cost $${run.cost_usd.toFixed(4)}. ${command(`runs explain ${run.id}`)} tells how it came about.`,
  ].join('\n');
}
