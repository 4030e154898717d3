import { removeRule, undoRule } from '../../../actions/rules.ts';
import { listRules, type RuleShape, ruleNamed, ruleShape } from '../../../queries/mail/rules.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { limitOf, PAGE_OPTIONS } from '../../command/page-options.ts';
import { indented, inOneLine } from '../../text/indented.ts';
import { atHere, dayHere, zoneLine } from '../../text/local-time.ts';

/** The last day on which it holds: it is over with that day. */
const lastDay = (until: string): string => dayHere(new Date(Date.parse(until) - 1).toISOString());

const DOES: Readonly<Record<RuleShape['effect'], (rule: RuleShape) => string>> = {
  words: () => 'words',
  deny: ({ tools, whom }) => `never ${tools.join(', ')}${whom.length === 0 ? '' : ` to ${whom.join(', ')}`}`,
  allow: ({ tools, whom, target }) =>
    `unasked ${tools.join(', ')}${whom.length === 0 ? '' : ` to ${whom.join(', ')}`}${target === null ? '' : ` of ${target}`}`,
  cc: ({ whom }) => `Cc ${whom.join(', ')}`,
};

const isFor = ({ scope, scope_of: of }: RuleShape): string =>
  scope === 'persona' ? 'all mail' : scope === 'thread' ? `thread ${of}` : (of ?? '');

const list = defineCommand({
  name: 'rules list',
  summary: 'What owners and members have said is to hold from now on, newest first',
  options: {
    limit: PAGE_OPTIONS.limit,
    after: PAGE_OPTIONS.after,
    persona: PAGE_OPTIONS.persona,
    all: { flags: '--all', about: 'also those that hold no more' },
  },
  async run({ open }, { options: { all, limit, ...page } }) {
    const workspace = open({ tolerant: true });
    const wanted = { all: all === true, now: workspace.clock.now() };
    return listRules(workspace, { ...page, limit: limitOf(limit) }, wanted);
  },
  rows: ({ rules }) => rules,
  columns: {
    PERSONA: ({ persona }) => persona,
    WHAT: ({ text }) => text.slice(0, 60),
    DOES: (rule) => DOES[rule.effect](rule),
    FOR: isFor,
    UNTIL: ({ until, state }) => (state === 'ended' ? 'ended' : until === null ? '' : lastDay(until)),
    BY: ({ said_by: by }) => by,
    ID: ({ id }) => id,
  },
  empty: 'No rule holds.',
});

const linesOf = (rule: RuleShape): string =>
  [
    indented(rule.text, '  '),
    `  ${DOES[rule.effect](rule)}, for ${inOneLine(isFor(rule))}`,
    `  said by ${rule.said_by} (${rule.said_tier})${rule.source_message_id ? ` in ${rule.source_message_id}` : ''}, kept ${atHere(rule.made_at)}`,
    ...(rule.until === null ? [] : [`  holds until the end of ${lastDay(rule.until)}`]),
    ...(rule.ended_at === null ? [] : [`  ended ${atHere(rule.ended_at)} by ${rule.ended_by}`]),
    zoneLine(),
  ].join('\n');

const show = defineCommand({
  name: 'rules show',
  summary: 'One rule: the words of the mail, what the gateway does for it, and for whom',
  arguments: ['<id>'],
  async run({ open }, { args: [id] }) {
    const workspace = open({ tolerant: true });
    const { persona, rule } = await ruleNamed(workspace, id);
    return { rule: ruleShape(persona, rule, workspace.clock.now()) };
  },
  text: ({ rule }) => linesOf(rule),
});

async function changed(workspace: Workspace, id: string, change: typeof removeRule) {
  const { persona } = await ruleNamed(workspace, id);
  return {
    rule: ruleShape(persona, await change(workspace, { personaId: persona, id, by: 'command' }), workspace.clock.now()),
  };
}

const remove = defineCommand({
  name: 'rules remove',
  summary: 'End a rule; it stays on record',
  arguments: ['<id>'],
  run: ({ open }, { args: [id] }) => changed(open({ tolerant: true }), id, removeRule),
  text: ({ rule }) => `Rule ${rule.id} holds no more.`,
});

const undo = defineCommand({
  name: 'rules undo',
  summary: 'Take the last change of a rule back: it holds no more, or again',
  arguments: ['<id>'],
  run: ({ open }, { args: [id] }) => changed(open({ tolerant: true }), id, undoRule),
  text: ({ rule }) => `Rule ${rule.id} holds ${rule.state === 'in_force' ? 'again' : 'no more'}.`,
});

export const rules: Group = {
  name: 'rules',
  summary: 'What is to hold from now on',
  commands: [list, show, remove, undo],
};
