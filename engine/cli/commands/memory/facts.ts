import { EngineError } from '#contract';
import { editFact, forgetBy } from '../../../actions/facts.ts';
import { memoryOffInWords } from '../../../queries/doctor/personas.ts';
import { onlyPersona, personaNamed } from '../../../queries/find-across.ts';
import { FACT_STATUSES, type FactShape, factNamed, factShape, listFacts } from '../../../queries/mail/facts.ts';
import { closingShown, listRemembered, summaryOf, summaryRow } from '../../../queries/mail/summaries.ts';
import { defineCommand } from '../../command/define.ts';
import { PAGE_OPTIONS, pageOf } from '../../command/page-options.ts';
import { indented, inOneLine } from '../../text/indented.ts';
import { atHere, dayHere, zoneLine } from '../../text/local-time.ts';

const list = defineCommand({
  name: 'memory list',
  summary: 'What is remembered, newest first; --status for what is not kept, or not yet',
  options: { ...PAGE_OPTIONS, about: { flags: '--about <address>', about: 'of one person, or of `persona`' } },
  async run({ open }, { options: { about, ...page } }) {
    const workspace = open({ tolerant: true });
    const wanted = { now: workspace.clock.now(), ...(about === undefined ? {} : { subject: about }) };
    const found = await listRemembered(workspace, pageOf(page, FACT_STATUSES), wanted);
    const named = page.persona === undefined ? null : personaNamed(workspace, page.persona).id;
    const off = [...workspace.live.personas().all()].flatMap((one) =>
      one.state === 'ready' && !one.persona.memory.facts && (named === null || named === one.id) ? [one.id] : [],
    );
    return { ...found, off };
  },
  json: ({ off: _off, ...found }) => found,
  rows: ({ facts, summaries }) => [...facts, ...summaries.map(summaryRow)],
  below: ({ off }, hint) => (off.length === 0 ? [] : [hint(memoryOffInWords(off))]),
  columns: {
    PERSONA: ({ persona }) => persona,
    ABOUT: ({ subject }) => subject,
    KIND: ({ kind }) => kind,
    WHAT: ({ text }) => text,
    SINCE: ({ valid_from: from }) => dayHere(from),
    ID: ({ id }) => id,
  },
  empty: 'Nothing is remembered.',
});

const linesOf = (fact: FactShape): string =>
  [
    indented(fact.text, '  '),
    `  ${fact.kind} about ${inOneLine(fact.subject)}, ${fact.status}, for ${fact.visibility}`,
    `  said by ${fact.said_by} (${fact.source_tier})${fact.source_message_id ? ` in ${fact.source_message_id}` : ''}: ${JSON.stringify(fact.quote)}`,
    `  since ${atHere(fact.valid_from)}${fact.valid_to ? ` until ${atHere(fact.valid_to)}` : ''}${fact.expires_at ? `, fresh until ${atHere(fact.expires_at)}` : ''}`,
    ...(fact.superseded_by ? [`  replaced by ${fact.superseded_by}`] : []),
    ...(fact.disputes ? [`  contradicts ${fact.disputes}`] : []),
    zoneLine(),
  ].join('\n');

const show = defineCommand({
  name: 'memory show',
  summary: 'One thing that is remembered, with the words of the mail that say it; or the summary of a thread',
  arguments: ['<id>'],
  async run({ open }, { args: [id] }) {
    const workspace = open({ tolerant: true });
    const summary = await summaryOf(workspace, id);
    const closing = await closingShown(workspace, id);
    if (summary || closing) return { ...(summary ? { summary } : {}), ...(closing ? { closing } : {}) };
    const { persona, fact } = await factNamed(workspace, id);
    return { fact: factShape(persona, fact) };
  },
  text: (found) =>
    'fact' in found
      ? linesOf(found.fact)
      : Object.values(found)
          .map((one) => JSON.stringify(one, null, 2))
          .join('\n'),
});

const edit = defineCommand({
  name: 'memory edit',
  summary: 'Put it in your words; what was there stays on record as replaced',
  arguments: ['<id>', '<text>'],
  async run({ open }, { args: [id, text] }) {
    const workspace = open({ tolerant: true });
    const { persona } = await factNamed(workspace, id);
    return { fact: factShape(persona, await editFact(workspace, { personaId: persona, id, text })) };
  },
  text: ({ fact }) => linesOf(fact),
});

const forget = defineCommand({
  name: 'memory forget',
  summary: 'Erase one thing, all that a mail said (--message), or all from and about somebody (--person); mail stays',
  arguments: ['[id]'],
  options: {
    message: { flags: '--message <message-id>', about: 'what was learned of this mail, and what search knows of it' },
    person: {
      flags: '--person <address>',
      about: 'what they said and what is said of them, and what search knows of it',
    },
    persona: {
      flags: '--persona <id>',
      about: 'whose memory; needed with --message and --person where there are several',
    },
  },
  async run({ open }, { args: [id], options }) {
    const workspace = open({ tolerant: true });
    const given = [id, options.message, options.person].filter((one) => one !== undefined);
    if (given.length !== 1) throw new EngineError('usage', 'memory forget takes an id, --message or --person');
    if (id !== undefined) {
      const { persona } = await factNamed(workspace, id);
      return { persona, forgotten: await forgetBy(workspace, { personaId: persona, id }, 'cli') };
    }
    const persona = options.persona ?? onlyPersona([...workspace.live.personas().all()].map((one) => one.id));
    const { id: personaId } = personaNamed(workspace, persona);
    const what = options.message === undefined ? { person: options.person ?? '' } : { message: options.message };
    return { persona: personaId, forgotten: await forgetBy(workspace, { personaId, ...what }, 'cli') };
  },
  text: ({ persona, forgotten }) =>
    `${persona} has forgotten ${forgotten === 1 ? 'one thing' : `${forgotten} things`}.`,
});

const EVERYTHING = 1_000_000;

const exported = defineCommand({
  name: 'memory export',
  summary: 'All that is remembered, also what was replaced, as JSON',
  options: { persona: PAGE_OPTIONS.persona },
  async run({ open }, { options: { persona } }) {
    const workspace = open({ tolerant: true });
    const page = { persona, after: undefined, status: undefined, limit: EVERYTHING };
    const { facts } = await listFacts(workspace, page, { all: true, now: workspace.clock.now() });
    return { facts };
  },
  text: (found) => JSON.stringify(found, null, 2),
});

export const FACT_COMMANDS = [list, show, edit, forget, exported];
