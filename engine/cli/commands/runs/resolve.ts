import { bringResult } from '../../../actions/bring-result.ts';
import { defineCommand } from '../../command/define.ts';

export const resolve = defineCommand({
  name: 'runs resolve',
  summary: 'Bring the result, JSON on stdin, of what a call has begun elsewhere',
  arguments: [['<job>', 'the id that its tool gave it']],
  async run({ open, readBody }, { args: [job] }) {
    const workspace = open({ tolerant: true });
    const deps = { ...workspace, ...(await workspace.extensions()), personas: [...workspace.live.personas().all()] };
    return bringResult(deps, { job, json: await readBody(), by: 'cli', now: workspace.clock.now() });
  },
  text: ({ resolved: { tool, run_id } }) => `${tool} has its result; run ${run_id} goes on.`,
});
