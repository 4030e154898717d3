import { refusal } from '../../../actions/refusal.ts';
import type { ReplayShape } from '../../../queries/runs/replay.ts';
import { defineCommand } from '../../command/define.ts';
import { brief } from '../../text/brief.ts';
import { RUN_OR_MAIL } from './explain.ts';

export const replay = defineCommand({
  name: 'runs replay',
  summary: 'Work a run once more from what is on record, offline, and compare',
  arguments: [['<id>', RUN_OR_MAIL]],
  async run({ open }, { args: [id] }) {
    const { replayOf } = await import('../../../queries/runs/replay.ts');
    const found = await replayOf(open({ tolerant: true }), id);
    if ('replay' in found) return found;
    return refusal('wrong_state', `the run is ${found.open}; wait until it has ended`);
  },
  text: ({ replay: { run_id, persona, identical, compared, difference, stale } }) => {
    const { decisions, requests, calls, mail_bytes } = compared;
    const what = `${decisions} decisions, ${requests} requests to models, ${calls} results, ${mail_bytes} bytes of mail`;
    return [
      `Run ${run_id} of ${persona}: ${identical ? `the same, to the byte: ${what}` : 'NOT the same'}.`,
      ...described('First difference', difference),
      ...described('A view that does not say what the events say', stale),
    ].join('\n');
  },
  exitCode: ({ replay: { identical } }) => (identical ? 0 : 1),
});

const described = (title: string, difference: ReplayShape['difference']): string[] =>
  difference === null
    ? []
    : [
        '',
        `${title}: ${difference.what}${difference.seq === null ? '' : `, event ${difference.seq}`}`,
        `  on record  ${brief(difference.recorded, 300)}`,
        `  now        ${brief(difference.replayed, 300)}`,
      ];
