import { rebuildIndex } from '../../../actions/rebuild-index.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import { searchMail } from '../../../queries/mail/search.ts';
import type { ClosingShape } from '../../../queries/mail/summaries.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { limitOf } from '../../command/page-options.ts';
import { atHere } from '../../text/local-time.ts';
import { FACT_COMMANDS } from './facts.ts';

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

/** A thread that is over, as it stands in a list of mails. */
const closedRow = ({ thread_id: id, tags, text, closed_at: date }: ClosingShape) => ({
  date,
  direction: 'in',
  from: 'a closed thread',
  subject: tags.join(', '),
  snippet: text,
  message_id: id,
});

const search = defineCommand({
  name: 'memory search',
  summary: 'Find earlier mail as its tool search_mail does, with the eyes of an owner',
  arguments: ['<persona>', ['[query]', 'key words; without any: the newest first']],
  options: {
    from: { flags: '--from <who>', about: 'a name or an address' },
    to: { flags: '--to <who>', about: 'a name or an address' },
    since: { flags: '--since <date>', about: 'written on this day or later' },
    before: { flags: '--before <date>', about: 'written earlier than this day' },
    thread: { flags: '--thread <id>', about: 'of one conversation' },
    limit: { flags: '--limit <n>', about: 'how many', fallback: '10' },
  },
  async run({ open }, { args: [name, query], options }) {
    const { limit, ...wanted } = options;
    return searchMail(open({ tolerant: true }), name, { ...wanted, query, limit: limitOf(limit) });
  },
  rows: ({ messages, closed_threads: closed = [] }) => [...messages, ...closed.map(closedRow)],
  times: true,
  columns: {
    DATE: (one) => atHere(one.date),
    FROM: (one) => (one.direction === 'out' ? 'the persona' : one.from),
    SUBJECT: (one) => one.subject.slice(0, 40),
    TEXT: (one) => one.snippet.slice(0, 80),
    'MESSAGE-ID': (one) => one.message_id,
  },
  empty: 'No mail is found.',
});

export const memory: Group = {
  name: 'memory',
  summary: 'What is kept of earlier mail',
  commands: [search, ...FACT_COMMANDS, rebuild],
};
