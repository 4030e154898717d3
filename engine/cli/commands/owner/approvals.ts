import { join } from 'node:path';
import { EngineError } from '#contract';
import { decideApprovals } from '../../../actions/approvals.ts';
import { requestUndo } from '../../../actions/undo.ts';
import { visible } from '../../../delivery/questions/approval-text.ts';
import type { About } from '../../../queries/about.ts';
import { approvalOf, approvalShape, inFull, listApprovals, undoItemsOf } from '../../../queries/approvals.ts';
import { approvalInWords } from '../../../queries/state-words.ts';
import { askedKind } from '../../../suspensions/kinds.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { PAGE_OPTIONS, pageOf } from '../../command/page-options.ts';
import { askedCallLines } from '../../text/asked-call.ts';
import { indented, inOneLine } from '../../text/indented.ts';
import { ABOUT_COLUMNS, shortId, withoutAbout } from '../../text/listed.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';

const MOST_CHARS = 400;

/** The approval as it is known elsewhere. */
function withoutShown<Row extends About & { readonly kind: unknown }>(row: Row) {
  const { kind: _kind, ...alone } = withoutAbout(row);
  return alone;
}

/** Nothing of a model reaches the terminal as a control character; `approvals show` cuts nothing. */
const contentLines = (args: object): readonly string[] =>
  Object.entries(args).map(([name, value]) => {
    const text = visible(typeof value === 'string' ? value : JSON.stringify(value));
    const shown = text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS).replace(/[\ud800-\udbff]$/, '')} …` : text;
    return `  ${inOneLine(name)}: ${indented(shown, '    ')}`;
  });

const list = defineCommand({
  name: 'approvals list',
  summary: 'Newest first',
  options: PAGE_OPTIONS,
  run: ({ open }, { options }) => listApprovals(open(), pageOf(options)),
  // What it is about stands in the table; the JSON is the approval as it is known elsewhere.
  json: ({ approvals, next }) => ({ approvals: approvals.map(withoutShown), next }),
  rows: ({ approvals }) => approvals,
  times: true,
  columns: {
    STATE: ({ state, kind }) => approvalInWords(state, askedKind({ kind }).answeredBy === 'words'),
    PERSONA: ({ persona }) => persona,
    TOOL: ({ tool, helps_run: helps }) => (helps === undefined ? tool : `${tool} (a helper)`),
    ...ABOUT_COLUMNS,
    UNTIL: ({ expires_at }) => atHere(expires_at),
    ID: ({ id }) => shortId(id),
  },
  // What waits is shown with what would be done: nobody can decide about the name of a tool.
  below: ({ approvals }) =>
    approvals
      .filter(({ state }) => state === 'pending')
      .flatMap((one) => ['', `${shortId(one.id)}  ${one.tool}`, ...contentLines(one.arguments)])
      .concat(approvals.some(({ state }) => state === 'pending') ? [''] : []),
  empty: 'Nothing was ever asked for.',
});

const show = defineCommand({
  name: 'approvals show',
  summary: 'One call with its exact arguments',
  arguments: ['<id>'],
  async run({ open }, { args: [id] }) {
    const workspace = open();
    const { persona, row, helps } = await approvalOf(workspace, id);
    const asksWords = askedKind(row).answeredBy === 'words';
    return {
      approval: inFull(persona, row, helps),
      asksWords,
      folder: join(workspace.dataDir, 'personas', persona, 'artifacts'),
    };
  },
  json: ({ approval }) => ({ approval }),
  // Nothing is cut here, and nothing of a model reaches the terminal as a control character.
  text: ({ approval, asksWords, folder }) =>
    visible(
      [
        `${approval.tool} (${approval.risk}) of ${approval.persona}: ${approvalInWords(approval.state, asksWords)}${approval.decided_by === null ? '' : ` by ${approval.decided_by}`}`,
        ...(approval.helps_run === undefined ? [] : [`  asked for by a helper of run ${approval.helps_run}`]),
        ...askedCallLines(approval),
        ...approval.attachments.map(
          ({ name, bytes, sha256, kept }) =>
            `  with ${name}, ${bytes} bytes: ${kept ? `${folder}/${sha256}` : `sha256 ${sha256}, too large to be kept`}`,
        ),
        `  until ${atHere(approval.expires_at)}`,
        zoneLine(),
      ].join('\n'),
    ),
});

async function decide(
  workspace: Workspace,
  verdict: { id: string; state: 'approved' | 'rejected'; reason: string | null },
) {
  const { stores, clock } = workspace;
  const { persona, row: asked } = await approvalOf(workspace, verdict.id);
  const { id } = asked;
  const [decided] = await stores.use(persona, (store) =>
    decideApprovals(workspace, {
      personaId: persona,
      store,
      verdicts: [{ ...verdict, id, by: 'cli' }],
      now: clock.now(),
    }),
  );
  const { row, helps } = await approvalOf(workspace, id);
  const asksWords = askedKind(row).answeredBy === 'words';
  if (decided?.outcome === 'decided') return { approval: approvalShape(persona, row, helps), asksWords };
  throw new EngineError('not_pending', `approval ${id} is ${row.state}, so it cannot be decided any more`);
}

const approve = defineCommand({
  name: 'approvals approve',
  summary: 'Let it be done, exactly as it stands',
  examples: [
    ['approvals approve last', 'the newest that waits; `approvals list` shows all'],
    ['approvals approve last --answer "Friday at noon"', 'where a persona asks something'],
  ],
  arguments: ['<id>'],
  options: {
    answer: { flags: '--answer <text>', about: 'to a question (ask_owner): told to the persona word for word' },
  },
  async run({ open }, { args: [id], options: { answer } }) {
    const workspace = open();
    const { row: asked } = await approvalOf(workspace, id);
    if (asked.state === 'pending') {
      const isQuestion = askedKind(asked).answeredBy === 'words';
      if (isQuestion && !answer?.trim()) throw new EngineError('usage', 'it is a question: say --answer "…"');
      if (!isQuestion && answer !== undefined) {
        throw new EngineError('usage', `${asked.tool} is no question to answer`);
      }
    }
    return decide(workspace, { id, state: 'approved', reason: answer ?? null });
  },
  json: ({ approval }) => ({ approval }),
  text: ({ approval, asksWords }) => `${approval.tool}: ${approvalInWords(approval.state, asksWords)}.`,
});

const deny = defineCommand({
  name: 'approvals deny',
  summary: 'Do not let it be done',
  arguments: ['<id>'],
  options: { reason: { flags: '--reason <text>', about: 'told to the persona' } },
  run: ({ open }, { args: [id], options: { reason } }) =>
    decide(open(), { id, state: 'rejected', reason: reason ?? null }),
  json: ({ approval }) => ({ approval }),
  text: ({ approval, asksWords }) => `${approval.tool}: ${approvalInWords(approval.state, asksWords)}.`,
});

const undo = defineCommand({
  name: 'approvals undo',
  summary: 'Take back what was done, where its tool can: the id of an approval, or that of the notice',
  arguments: ['<id>'],
  async run({ open }, { args: [id] }) {
    const workspace = open();
    const { persona, items } = await undoItemsOf(workspace, id);
    const now = workspace.clock.now();
    const left = items.filter(({ state, until }) => state === 'open' && until > now);
    const [first] = left;
    if (first === undefined) {
      const [{ state }] = items;
      throw new EngineError('not_pending', `it is ${state === 'open' ? 'expired' : state}, so it cannot be taken back`);
    }
    await workspace.stores.use(persona, (store) =>
      requestUndo(workspace, { personaId: persona, store, items: left, by: 'cli', now }),
    );
    return { undo: { id: first.id, persona, tool: first.tool, calls: left.length } };
  },
  text: ({ undo: { tool, calls } }) =>
    calls === 1 ? `${tool} is being taken back.` : `${calls} calls are being taken back.`,
});

export const approvals: Group = {
  name: 'approvals',
  summary: 'What personas want to do and may not without you',
  commands: [list, show, approve, deny, undo],
};
