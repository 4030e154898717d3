import { explainRun } from '../../../queries/explain/explain-run.ts';
import { defineCommand } from '../../command/define.ts';
import { explainedText } from './explained.ts';

export const RUN_OR_MAIL = 'a run, or the Message-ID of the mail or of its answer';

export const explain = defineCommand({
  name: 'runs explain',
  summary: 'From an answer back to what its model was given, link by link',
  arguments: [['<id>', RUN_OR_MAIL]],
  run: async ({ open }, { args: [id] }) => ({ explained: await explainRun(open({ tolerant: true }), id) }),
  text: ({ explained }) => explainedText(explained),
  exitCode: ({ explained }) => (explained.missing.length === 0 ? 0 : 1),
});
