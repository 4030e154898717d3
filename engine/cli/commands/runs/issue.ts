import { packageVersion } from '../../../app/version.ts';
import { findRunOfAnything } from '../../../queries/runs/find-run.ts';
import { defineCommand } from '../../command/define.ts';
import { RUN_OR_MAIL } from './explain.ts';

export const issue = defineCommand({
  name: 'runs issue',
  summary: 'A run with nothing of anybody in it, for those who make Epistle',
  arguments: [['<id>', RUN_OR_MAIL]],
  async run({ open }, { args: [id] }) {
    const { bundledNames, issueOf } = await import('../../../queries/runs/issue.ts');
    const { workOf } = await import('../../../queries/runs/timeline.ts');
    const { runShape } = await import('../../../queries/shapes.ts');
    const workspace = open({ tolerant: true });
    const { persona, row } = await findRunOfAnything(workspace, id);
    const maker = { epistle: packageVersion(), node: process.versions.node, bundled: await bundledNames(workspace) };
    return { issue: issueOf({ run: runShape(persona, row), ...(await workOf(workspace, persona, row)) }, maker) };
  },
  text: ({ issue: text }) => text,
});
