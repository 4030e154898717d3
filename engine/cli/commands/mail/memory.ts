import { rebuildIndex } from '../../../actions/rebuild-index.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import { defineCommand, type Group } from '../../define.ts';

const rebuild = defineCommand({
  name: 'memory rebuild',
  summary: 'Make the search index of its mail anew',
  arguments: ['<persona>'],
  async run({ open }, { args: [name] }) {
    const workspace = open({ tolerant: true });
    const { id } = personaNamed(workspace, name);
    await rebuildIndex(workspace, id);
    return { persona: id };
  },
  text: ({ persona }) => `The index of ${persona} is empty; a running gateway makes it anew, the newest mail first.`,
});

export const memory: Group = { name: 'memory', summary: 'What is kept of earlier mail', commands: [rebuild] };
