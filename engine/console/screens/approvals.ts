import { isDeepStrictEqual } from 'node:util';
import { html } from 'hono/html';
import { editApproval, splitApproval } from '../../actions/approvals.ts';
import {
  CARRIED_OUT_MS,
  type ComingDecision,
  comingDecisions,
  decideLater,
  decisionInVain,
  takeBackDecision,
} from '../../actions/decide-later.ts';
import { requestUndo } from '../../actions/undo.ts';
import type { Persona } from '../../config/types.ts';
import { visible } from '../../delivery/questions/approval-text.ts';
import { questionAsShown, type ShownQuestion } from '../../delivery/questions/as-shown.ts';
import { toolInWords } from '../../languages/tools.ts';
import { systemZone } from '../../lib/schedule/zone.ts';
import { undosOf } from '../../queries/approvals.ts';
import { listAcross, overviewsOf } from '../../queries/list-across.ts';
import { approvalInWords } from '../../queries/state-words.ts';
import type { Store } from '../../storage/ports/store.ts';
import { type Approval, type ApprovalAnswer, argumentsOf, type UndoItem } from '../../storage/types/approvals.ts';
import { askedKind } from '../../suspensions/kinds.ts';
import { membersOf } from '../../suspensions/members.ts';
import { offeredInWords, TAUGHT_DAYS } from '../../suspensions/offered.ts';
import { blockOf } from '../blocks.ts';
import { asCommand, awayFrom, empty, timeOf } from '../frame.ts';
import { NOT_UNDOABLE, nameOf, notFresh } from '../pieces.ts';
import { type Act, type Deed, type Done, definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';
import { callIn, fieldsOf, isEditable } from './edited-call.ts';

/** So many on a page. */
const LIMIT = 25;
const MOST_REASON = 2000;

export interface AskedHere {
  readonly persona: Persona;
  readonly row: Approval;
  readonly shown: ShownQuestion;
  /** What is about to be decided, and can still be taken back. */
  readonly coming: ComingDecision | undefined;
}

/** Questions that wait, the newest first, each as its mail has it. */
export async function questionsThatWait(
  { ports, now }: Pick<ScreenLook, 'ports' | 'now'>,
  page: { readonly limit: number; readonly after?: string | undefined; readonly persona?: string | undefined },
): Promise<{ readonly asked: readonly AskedHere[]; readonly next: string | null }> {
  const { rows, next } = await listAcross(
    ports,
    { ...page, status: 'pending' },
    {
      of: ({ newest }) => newest.pending,
      read: (store, wanted) => store.listApprovals(wanted),
    },
  );
  const asked: AskedHere[] = [];
  for (const { persona, row } of rows) {
    const found = await ports.stores.use(persona, (store) => shownFrom({ ports, now }, persona, store, row));
    if (found) asked.push(found);
  }
  return { asked, next };
}

async function shownFrom(
  { ports, now }: Pick<ScreenLook, 'ports' | 'now'>,
  personaId: string,
  store: Store,
  row: Approval,
): Promise<AskedHere | null> {
  const entry = ports.live.personas().get(personaId);
  if (entry?.state !== 'ready') return null;
  const { persona } = entry;
  const shown = await questionAsShown(store, persona, row, { zone: systemZone(), now });
  const coming = (await comingDecisions(store, [row.id])).get(row.id);
  return { persona, row, shown, coming };
}

async function questionNamed(look: Pick<ScreenLook, 'ports' | 'now' | 'params'>): Promise<AskedHere | null> {
  const { persona = '', id = '' } = look.params;
  if (!look.ports.stores.exists(persona)) return null;
  return look.ports.stores.use(persona, async (store) => {
    const row = await store.getApproval(id);
    return row ? shownFrom(look, persona, store, row) : null;
  });
}

const addressOf = (persona: string, { id }: Pick<Approval, 'id'>): string => `/approvals/${persona}/${id}`;
const asksWords = (row: Approval): boolean => askedKind(row).answeredBy === 'words';
/** What takes something away. */
const isDestructive = ({ risk }: Pick<Approval, 'risk'>): boolean => risk === 'destructive';

/** One question with its buttons. */
export function questionCard({ persona, row, shown, coming }: AskedHere, look: ScreenLook): Html {
  return html`<article class="card" data-entry id="q-${row.id}"><h2><a href="${addressOf(persona.id, row)}">${visible(shown.question)}</a></h2>
<p class="soft">${persona.name} asks · until ${timeOf(row.expires_at)} (${awayFrom(row.expires_at, look.now)})${isDestructive(row) ? html` · <span class="warn">takes something away</span>` : ''}</p>
${shown.request.map(blockOf)}
${shown.origins.length === 0 ? '' : html`<div class="doubt"><h3>Where it comes from</h3>${shown.origins.map(blockOf)}</div>`}
${shown.calls.map((blocks) => blocks.map(blockOf))}
${deeds(persona.id, row, coming, look)}</article>`;
}

function deeds(persona: string, row: Approval, coming: ComingDecision | undefined, look: ScreenLook): Html {
  if (row.state !== 'pending') return html``;
  if (coming) return comingBar(persona, row, coming, look);
  if (look.viewer.role === 'viewer')
    return html`<p class="soft">You are here as viewer: who may decide does it here or by mail.</p>`;
  const isWords = asksWords(row);
  const label = isWords ? 'Your answer' : 'A word about it, told to the persona (may stay empty)';
  return html`<form method="post" action="${addressOf(persona, row)}/decide" class="deeds">${look.formToken}<input type="hidden" name="hash" value="${row.arguments_hash}">
<label>${label}<textarea name="reason" maxlength="${MOST_REASON}" data-deed="reason" rows="${isWords ? 4 : 1}"></textarea></label>
<button class="main" name="say" value="approve" data-deed="approve">${isWords ? 'Answer' : 'Approve'}</button>
${mayOfferTo(look, row) ? html`<button name="say" value="from_now_on">Approve, and don’t ask again</button>` : ''}
<button name="say" value="deny" data-deed="deny">${isWords ? 'Refuse to answer' : 'Deny'}</button></form>${offerOf(row, look)}`;
}

/** Only an owner lets a persona do more from now on. */
const mayOfferTo = ({ viewer }: Pick<ScreenLook, 'viewer'>, { offered_at: at }: Approval): boolean =>
  at !== null && viewer.role === 'owner';

function offerOf(row: Approval, look: ScreenLook): Html {
  const what = offeredInWords(row, 'en');
  return what === null || !mayOfferTo(look, row)
    ? html``
    : html`<p class="soft">You have said yes to this ten times in a row. It can be done for ${TAUGHT_DAYS} days without asking: ${visible(what)}. A file, a sum of money or something that others have written is still asked about.</p>`;
}

const saidOf = (row: Approval, state: ComingDecision['state']): string =>
  state === 'approved' ? (asksWords(row) ? 'Answered' : 'Approved') : 'Denied';

const comingBar = (
  persona: string,
  row: Approval,
  { state, by, fromNowOn, dueAt }: ComingDecision,
  { now, formToken, viewer }: ScreenLook,
): Html => {
  const seconds = Math.max(0, Math.ceil((dueAt - now) / 1000));
  return html`<div class="coming" role="status" data-due="${seconds}"><p><strong>${saidOf(row, state)}</strong> by ${by}${fromNowOn ? ', and from now on without asking' : ''}. It is carried out ${seconds === 0 ? 'now' : html`in <span data-counts>${seconds}</span> seconds, also if this page is closed`}.</p>
${viewer.role === 'viewer' || seconds === 0 ? '' : html`<form method="post" action="${addressOf(persona, row)}/take-back">${formToken}<button data-deed="back">Take it back</button></form>`}</div>`;
};

const list = definePage({
  address: '/approvals',
  title: () => 'Approvals',
  load: async (look) => ({
    ...(await questionsThatWait(look, {
      limit: LIMIT,
      after: look.query.get('after') ?? undefined,
      persona: look.query.get('persona') ?? undefined,
    })),
    decided: await decidedLast(look),
  }),
  view: ({ asked, next, decided }, look) => html`<div data-live>${
    asked.length === 0
      ? empty(
          'Nothing waits for you. When a persona wants to do what it may not do by itself, its question stands here, and in a mail to you.',
        )
      : asked.map((one) => questionCard(one, look))
  }
${next === null ? '' : html`<p><a href="/approvals?after=${next}" rel="next">Older questions</a></p>`}
<h2>Decided last</h2>${
    decided.length === 0
      ? empty('Nothing was decided yet.')
      : html`<ul class="rows">${decided.map(
          ({ persona, row, question }) =>
            html`<li data-entry><a href="${addressOf(persona, row)}">${visible(question)}</a> <span class="soft">${nameOf(look, persona)} · ${approvalInWords(row.state, asksWords(row))}${row.decided_by === null ? '' : ` by ${row.decided_by}`} · ${timeOf(row.decided_at ?? row.updated_at)}</span></li>`,
        )}</ul>`
  }</div>
${asCommand(look.command('approvals list'))}`,
});

async function decidedLast({ ports, now }: ScreenLook) {
  const { rows } = await listAcross(
    ports,
    { limit: LIMIT },
    { of: ({ newest }) => newest.approval, read: (store, wanted) => store.listApprovals(wanted) },
  );
  const decided = rows.filter(({ row }) => row.state !== 'pending').slice(0, 10);
  return Promise.all(
    decided.map(async ({ persona, row }) => {
      const found = await ports.stores.use(persona, (store) => shownFrom({ ports, now }, persona, store, row));
      return { persona, row, question: found?.shown.question ?? toolInWords(row.tool, 'en') };
    }),
  );
}

const one = definePage({
  address: '/approvals/:persona/:id',
  title: ({ shown }) => visible(shown.question),
  load: async (look: ScreenLook) => {
    const asked = await questionNamed(look);
    if (asked === null) return null;
    const { persona, row } = asked;
    const inVain = await look.ports.stores.use(persona.id, (store) => decisionInVain(store, row));
    const answers = await look.ports.stores.use(persona.id, (store) => store.answersOfNotice(row.notice_id ?? ''));
    const unclear = answers.filter(({ verdict }) => verdict === 'unclear');
    return { ...asked, inVain, unclear: await withMails(look, unclear), undos: await openUndosOf(look, asked) };
  },
  view: (asked, look) => {
    const { row, persona, shown, coming, inVain, unclear, undos } = asked;
    return html`<p><a href="/approvals" data-up>All questions</a></p><div data-live>
<dl class="facts"><dt>State</dt><dd>${approvalInWords(row.state, asksWords(row))}${row.decided_by === null ? '' : ` by ${row.decided_by}`}${row.reason === null ? '' : html`: ${visible(row.reason)}`}</dd>
${row.decided_at === null ? '' : html`<dt>Decided</dt><dd>${timeOf(row.decided_at)}</dd>`}
<dt>Persona</dt><dd>${persona.name}</dd><dt>Work</dt><dd><a href="/runs/${persona.id}/${row.run_id}">the run that asks</a></dd><dt>Asked</dt><dd>${timeOf(row.created_at)}</dd><dt>Until</dt><dd>${timeOf(row.expires_at)} (${awayFrom(row.expires_at, look.now)})</dd>
<dt>Risk</dt><dd>${row.risk}${isDestructive(row) ? html`: <span class="warn">takes something away, and needs a log-in of the last five minutes</span>` : ''}</dd></dl>
${shown.request.map(blockOf)}
<h2>Where it comes from</h2>${shown.origins.length === 0 ? html`<p>Every value was named by an owner, or by the member who asks.</p>` : html`<div class="doubt">${shown.origins.map(blockOf)}</div>`}
<h2>What would be done</h2>${shown.calls.map((blocks) => html`<div class="card">${blocks.map(blockOf)}</div>`)}
${row.attached.length === 0 ? '' : html`<h2>Files</h2><ul>${row.attached.map(({ name, bytes, sha256 }) => html`<li>${visible(name)}, ${bytes} bytes <span class="soft">sha256 ${sha256}</span></li>`)}</ul>`}
<details><summary>Word for word</summary><pre tabindex="0">${visible(JSON.stringify(argumentsOf(row), null, 2))}</pre></details>
${inVain === null ? '' : html`<p class="card" role="status"><strong>${saidOf(row, inVain.state)} by ${inVain.by}</strong> in the console, but too late: by then it was ${approvalInWords(row.state, asksWords(row))}. Nothing came of it.</p>`}
${unclear.map(({ by, at, mail }) => html`<p class="card" role="status">An answer of ${by}, ${timeOf(at)}, was neither yes nor no, so nothing was done.${mail === null ? '' : html` <a href="/mail/${mail}">Their mail</a>`}</p>`)}
${deeds(persona.id, row, coming, look)}
${undos.map((item) => undoBar(persona.id, row, item, look))}</div>
${changing(asked, look)}
${asCommand(look.command(`approvals show ${row.id}`))}`;
  },
});

/** Where the mail of an answer stands in the list of mail; null: nowhere. */
const withMails = ({ ports }: Pick<ScreenLook, 'ports'>, answers: readonly ApprovalAnswer[]) =>
  Promise.all(
    answers.map(async ({ by, at, message_id: id }) => {
      const seen = await ports.gateway.seenByMessageId(id);
      return { by, at, mail: seen.find(({ direction }) => direction === 'in')?.id ?? null };
    }),
  );

/** Why whoever looks may not let this be done; null: they may. */
function mayNotApprove(deed: Deed, row: Pick<Approval, 'risk'>): string | null {
  if (!isDestructive(row)) return null;
  if (deed.viewer.role !== 'owner') return 'Only an owner may approve what takes something away.';
  const stale = notFresh(deed);
  return stale && `${stale.refused} Denying needs none.`;
}

const decide: Act = {
  address: '/approvals/:persona/:id/decide',
  needs: 'operator',
  async act(deed): Promise<Done> {
    const found = await openAsShown(deed);
    if ('refused' in found) return found;
    const { row, persona } = found.asked;
    const verdict = verdictIn(deed, row);
    if (typeof verdict === 'string') return { refused: verdict, status: 422 };
    const why = verdict.state === 'approved' ? mayNotApprove(deed, row) : null;
    if (why !== null) return { refused: why, status: 403 };
    const came = await deed.ports.stores.use(persona.id, (store) =>
      decideLater(deed.acting, { persona, store, asked: row, verdict, now: deed.now }),
    );
    if (came === 'later') return { to: `/approvals#q-${row.id}` };
    return came === 'decided' ? { to: addressOf(persona.id, row) } : NOT_AS_SHOWN;
  },
};

/** What was pressed; why not, in words. */
function verdictIn({ form, viewer }: Deed, row: Approval) {
  const said = form.get('say');
  const reason = (form.get('reason') ?? '').trim().slice(0, MOST_REASON);
  const fromNowOn = said === 'from_now_on';
  if (fromNowOn && !mayOfferTo({ viewer }, row)) return 'This question does not offer that.';
  if (said !== 'approve' && said !== 'deny' && !fromNowOn) return 'Nothing was pressed.';
  if (said === 'approve' && asksWords(row) && reason === '') return 'It is a question: write an answer.';
  const state = said === 'deny' ? ('rejected' as const) : ('approved' as const);
  return { state, by: viewer.address, reason: reason === '' ? null : reason, fromNowOn };
}

const takeBack: Act = {
  address: '/approvals/:persona/:id/take-back',
  needs: 'operator',
  async act(deed): Promise<Done> {
    const asked = await questionNamed(deed);
    if (!asked?.coming) return { refused: 'Nothing is about to be decided here.', status: 409 };
    const { persona, row, coming } = asked;
    const { acting, viewer, now } = deed;
    const isBack = await deed.ports.stores.use(persona.id, (store) =>
      takeBackDecision(acting, { store, asked: row, coming, by: viewer.address, now }),
    );
    if (!isBack)
      return {
        refused: 'It is too late: it is being carried out. What can be undone stands on its page.',
        status: 409,
      };
    return { to: `/approvals#q-${row.id}` };
  },
};

const NO_QUESTION = { refused: 'There is no such question, or none that you may see.', status: 404 } as const;
const NOT_AS_SHOWN = { refused: 'This is not what you were shown any more. Look at it again.', status: 409 } as const;

/** A question that is still open as it was shown; else why nothing is done. */
async function openAsShown(deed: Deed): Promise<{ readonly asked: AskedHere } | Extract<Done, { refused: string }>> {
  const asked = await questionNamed(deed);
  if (!asked) return NO_QUESTION;
  const { row, coming } = asked;
  if (coming) return { refused: 'Somebody has decided this a moment ago.', status: 409 };
  if (row.state !== 'pending' || row.expires_at <= deed.now)
    return {
      refused: `This cannot be decided any more: it is ${approvalInWords(row.state, asksWords(row))}.`,
      status: 409,
    };
  return deed.form.get('hash') === row.arguments_hash ? { asked } : NOT_AS_SHOWN;
}

// A call with other words.

const mayBeEdited = (row: Approval): boolean => row.kind === 'call' && !asksWords(row) && isEditable(argumentsOf(row));

/** What else can be done to a question that is open: its call changed, or its calls asked about one by one. */
function changing({ persona, row, coming }: AskedHere, look: ScreenLook): Html {
  const isOpen = row.state === 'pending' && row.expires_at > look.now && !coming;
  if (!isOpen || look.viewer.role === 'viewer') return html``;
  const hash = html`${look.formToken}<input type="hidden" name="hash" value="${row.arguments_hash}">`;
  const at = addressOf(persona.id, row);
  if (membersOf(row).length > 1)
    return html`<form method="post" action="${at}/split" class="deeds">${hash}<p>These calls are one question. Asked about one by one, some can be let through without the others.</p><button>Ask about each by itself</button></form>`;
  if (!mayBeEdited(row)) return html``;
  const args = argumentsOf(row);
  return html`<details class="card"><summary>Change it</summary><p class="soft">What you change is checked as a call of ${persona.name} is, and asked about anew. Where nothing is new in it but your own words, it is approved with them, and can be taken back for ten seconds.</p>
<form method="post" action="${at}/edit" class="fields">${hash}${fieldsOf(args)}<button class="main">Change</button></form>
<details><summary>All of it as JSON</summary><form method="post" action="${at}/edit" class="fields">${hash}<label>Arguments<textarea name="all" rows="8" spellcheck="false">
${JSON.stringify(args, null, 2)}</textarea></label><button>Change</button></form></details></details>`;
}

const edit: Act = {
  address: '/approvals/:persona/:id/edit',
  needs: 'operator',
  async act(deed): Promise<Done> {
    const found = await openAsShown(deed);
    if ('refused' in found) return found;
    const { row: approval, persona } = found.asked;
    if (!mayBeEdited(approval))
      return { refused: 'This cannot be changed here. Answer its mail instead.', status: 422 };
    const args = argumentsOf(approval);
    const read = callIn(deed.form, args);
    if (!read.ok) return { refused: read.why, status: 422 };
    const { wanted } = read;
    if (isDeepStrictEqual(wanted, args)) return { refused: 'Nothing was changed in it.', status: 422 };
    const { acting, viewer, now } = deed;
    return deed.ports.stores.use(persona.id, async (store): Promise<Done> => {
      const by = viewer.address;
      // What is decided by itself is not mailed as a question before that.
      const call = { persona, store, now, approval, wanted, by, theirsForMs: CARRIED_OUT_MS };
      const edited = await editApproval(acting, call);
      if (edited.outcome === 'refused') return { refused: `Nothing was changed: ${visible(edited.why)}.`, status: 422 };
      if (edited.outcome === 'closed') return NOT_AS_SHOWN;
      const { replacement: asked, isTheirs } = edited;
      if (isTheirs && !mayNotApprove(deed, asked)) {
        const verdict = { state: 'approved', by, reason: null } as const;
        await decideLater(acting, { persona, store, asked, verdict, now });
      }
      return { to: addressOf(persona.id, asked) };
    });
  },
};

const split: Act = {
  address: '/approvals/:persona/:id/split',
  needs: 'operator',
  async act(deed): Promise<Done> {
    const found = await openAsShown(deed);
    if ('refused' in found) return found;
    const { row: plan, persona } = found.asked;
    if (membersOf(plan).length < 2) return { refused: 'It is one call, and cannot be split.', status: 422 };
    const { acting, viewer, now } = deed;
    const items = await deed.ports.stores.use(persona.id, (store) =>
      splitApproval(acting, { personaId: persona.id, store, plan, by: viewer.address, now }),
    );
    return items === null ? NOT_AS_SHOWN : { to: '/approvals' };
  },
};

// What was done, and can be taken back.

/** Of the calls of a question those that can be taken back now. */
const openUndosOf = ({ ports, now }: Pick<ScreenLook, 'ports' | 'now'>, { persona, row }: AskedHere) =>
  ports.stores.use(persona.id, async (store) =>
    (await undosOf(store, row)).filter(({ state, until }) => state === 'open' && until > now),
  );

const undoBar = (persona: string, row: Approval, item: UndoItem, { viewer, formToken, now }: ScreenLook): Html =>
  html`<div class="coming"><p>${visible(toolInWords(item.tool, 'en'))} was done, and can be taken back until ${timeOf(item.until)} (${awayFrom(item.until, now)}).</p>${
    viewer.role === 'owner'
      ? html`<form method="post" action="${addressOf(persona, row)}/undo">${formToken}<input type="hidden" name="undo" value="${item.id}"><button>Undo what was done</button></form>`
      : ''
  }</div>`;

const undo: Act = {
  address: '/approvals/:persona/:id/undo',
  needs: 'owner',
  async act(deed): Promise<Done> {
    const asked = await questionNamed(deed);
    if (!asked) return NO_QUESTION;
    const items = (await openUndosOf(deed, asked)).filter(({ id }) => id === deed.form.get('undo'));
    if (items.length === 0) return NOT_UNDOABLE;
    const { acting, viewer, now } = deed;
    const { persona, row } = asked;
    await deed.ports.stores.use(persona.id, (store) =>
      requestUndo(acting, { personaId: persona.id, store, items, by: viewer.address, now }),
    );
    return { to: addressOf(persona.id, row) };
  },
};

/** Nobody counts further. */
const MOST_COUNTED = 99;

/** It stands on every page, and is asked for again at every change: by what is kept of each persona. */
const countOf = async ({ ports }: ScreenLook): Promise<number> => {
  const all = [...(await overviewsOf(ports)).values()];
  return Math.min(
    MOST_COUNTED,
    all.reduce((sum, { pending }) => sum + pending, 0),
  );
};

export const approvals: Screen = {
  name: 'Approvals',
  address: '/approvals',
  key: 'a',
  count: countOf,
  pages: [list, one],
  acts: [decide, takeBack, edit, split, undo],
};
