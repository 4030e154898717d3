import { html, raw } from 'hono/html';
import type { Piece } from '#contract';
import { setPrivateBy } from '../../actions/mail/private-thread.ts';
import { isLimit } from '../../actions/mail/retry-mail.ts';
import { isRefusal } from '../../actions/refusal.ts';
import { headingOf } from '../../delivery/questions/call-blocks.ts';
import { localDay, systemZone } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import { learnableOf } from '../../queries/mail/cures.ts';
import { htmlOfMail, type OneMail, oneMail, sourceOfMail } from '../../queries/mail/one-mail.ts';
import type { ListedOutbox } from '../../queries/mail/outbox.ts';
import { type Traffic, type TrafficRow, type TrafficWanted, trafficOf, unsentOf } from '../../queries/mail/traffic.ts';
import { whyInWords } from '../../queries/mail/why-in-words.ts';
import { leavingInWords, runInWords } from '../../queries/state-words.ts';
import type { SeenDecision } from '../../storage/types/gateway.ts';
import type { Tier } from '../../storage/types/mail.ts';
import { asCommand, dollars, empty, timeOf } from '../frame.ts';
import {
  bytesOf,
  choiceOf,
  fatePill,
  filterOf,
  filters,
  isOneAddress,
  LETS_IN,
  NO_MAIL,
  nameOf,
  notFresh,
  pager,
  personaChoice,
  personLink,
  pressOf,
  stillRefused,
  textOf,
  withCode,
} from '../pieces.ts';
import { type Act, type Deed, definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';
import { mayTest, testActs, testLink, testPages } from './test-mail.ts';

const PAGE = 40;
const MOST_UNSENT = 10;

/** In the order in which they are chosen. */
const FATES: Readonly<Record<SeenDecision, string>> = {
  accepted: 'taken in',
  refused: 'refused',
  deferred: 'waiting',
  dead_letter: 'could not be read',
  recorded: 'needs no answer',
  duplicate: 'came again',
  sent: 'sent',
  failed: 'not sent',
  unknown: 'not known whether sent',
};
const DECISIONS = (Object.keys(FATES) as SeenDecision[]).map((value) => ({ value, words: FATES[value] }));

/** Midnight of a day on the clock of the machine; undefined: it is no day. */
function startOf(day: string | undefined): number | undefined {
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const noon = Date.parse(`${day}T12:00:00Z`);
  if (Number.isNaN(noon)) return undefined;
  // The zone is at most 14 hours away from UTC.
  for (let at = noon - 26 * 3_600_000; at <= noon + 15 * 3_600_000; at += 900_000)
    if (localDay(at, systemZone()) === day) return at;
  return undefined;
}

function wantedIn(look: ScreenLook): TrafficWanted {
  const way = filterOf(look, 'way');
  const decision = DECISIONS.find(({ value }) => value === filterOf(look, 'fate'))?.value;
  const until = startOf(filterOf(look, 'until'));
  const after = Number(filterOf(look, 'after'));
  return {
    limit: PAGE,
    persona: filterOf(look, 'persona'),
    text: filterOf(look, 'q'),
    decision,
    direction: way === 'in' || way === 'out' ? way : undefined,
    since: startOf(filterOf(look, 'since')),
    until: until === undefined ? undefined : until + DAY_MS,
    before: Number.isSafeInteger(after) && after > 0 ? after : undefined,
  };
}

const SET = ['q', 'persona', 'way', 'fate', 'since', 'until'] as const;

const list = definePage({
  address: '/mail',
  title: () => 'Mail',
  load: async (look) => {
    const wanted = wantedIn(look);
    const isFirst = wanted.before === undefined;
    const isWhole = isFirst && SET.every((name) => filterOf(look, name) === undefined);
    return {
      traffic: await trafficOf(look.ports, look.viewer, wanted),
      unsent: isWhole ? await unsentOf(look.ports, look.viewer, MOST_UNSENT) : [],
      isFirst,
      isWhole,
    };
  },
  view: ({ traffic, unsent, isFirst, isWhole }, look) => html`${filters(
    '/mail',
    [
      textOf(look, 'q', 'Address or subject', 'search'),
      personaChoice(look),
      choiceOf(look, 'way', 'Way', 'in and out', [
        { value: 'in', words: 'came in' },
        { value: 'out', words: 'went out' },
      ]),
      choiceOf(look, 'fate', 'What became of it', 'anything', DECISIONS),
      textOf(look, 'since', 'From', 'date'),
      textOf(look, 'until', 'To', 'date'),
    ],
    SET.some((name) => filterOf(look, name) !== undefined),
  )}
${isWhole ? testLink(look, 'Write a test mail') : ''}
<div data-live>${unsent.length === 0 ? '' : html`<section aria-labelledby="unsent"><h2 id="unsent">Not sent yet</h2>${unsentList(unsent)}</section><h2>Seen</h2>`}
${traffic.mails.length === 0 ? nothingSeen(traffic, look, isWhole) : mailTable(traffic.mails, look)}</div>
${pager('/mail', look, traffic.next, isFirst)}
${asCommand(look.command(commandFor(look)))}`,
});

/** As it is narrowed here, as far as the command can. No word of a mail stands in it: whoever wrote one chose its signs. */
function commandFor(look: ScreenLook): string {
  const persona = filterOf(look, 'persona');
  const isRefused = filterOf(look, 'fate') === 'refused';
  return `mail list${isRefused ? ' --refused' : ''}${persona !== undefined && look.viewer.personas.has(persona) ? ` --persona ${persona}` : ''}`;
}

function nothingSeen({ next }: Traffic, look: ScreenLook, isWhole: boolean): Html {
  if (next !== null) return empty('Nothing fits in the mail that was looked through. Go on with “Older”.');
  if (!isWhole) return empty(html`No mail fits. <a href="/mail">Show all mail</a>`);
  const addresses = [...look.viewer.personas]
    .sort()
    .slice(0, 3)
    .flatMap((id) => addressOf(look, id));
  return empty(
    html`No mail has come yet. ${addresses.length === 0 ? '' : html`Write one to ${addresses.join(' or ')}. `}${mayTest(look) ? html`To see first what would be answered, <a href="/mail/test">write a test mail</a>.` : ''}`,
  );
}

const addressOf = ({ ports }: ScreenLook, id: string): readonly string[] => {
  const entry = ports.live.personas().get(id);
  return entry?.state === 'ready' ? [entry.persona.address] : [];
};

export const mailTable = (mails: readonly TrafficRow[], look: ScreenLook): Html =>
  html`<div class="table"><table class="stacks"><thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Subject</th><th scope="col">Persona</th><th scope="col">What became of it</th></tr></thead><tbody>${mails.map(
    (mail) => html`<tr data-entry>
<td class="when">${timeOf(mail.at)}</td>
<td class="person">${mail.direction === 'in' ? html`<span class="soft">from</span>` : html`<span class="soft">to</span>`} ${mail.who ?? html`<span class="soft">not named</span>`}</td>
<td><a href="/mail/${mail.id}">${mail.subject === '' ? html`<span class="soft">no subject</span>` : mail.subject}</a></td>
<td class="beside">${mail.persona === null ? html`<span class="soft">nobody’s (${mail.recipient ?? 'no address'})</span>` : nameOf(look, mail.persona)}</td>
<td class="beside">${fatePill(mail.fate)}</td></tr>`,
  )}</tbody></table></div>`;

const unsentList = (unsent: readonly ListedOutbox[]): Html =>
  html`<ul class="rows">${unsent.map(
    (mail) =>
      html`<li><span class="pill warn">${leavingInWords(mail.state)}</span> ${mail.subject ?? html`<span class="soft">no subject</span>`} <span class="soft">to ${mail.to.map(({ address }) => address).join(', ')} · ${timeOf(mail.created_at)}</span>${
        mail.last_error === null ? '' : html`<p class="soft">${mail.last_error}</p>`
      }${mail.run_id === null ? '' : html` <a href="/runs/${mail.persona}/${mail.run_id}">its run</a>`}</li>`,
  )}</ul>`;

const numberIn = ({ params }: ScreenLook): number =>
  /^\d{1,15}$/.test(params.id ?? '') ? Number(params.id) : Number.NaN;

const page = definePage({
  address: '/mail/:id',
  title: ({ mail }: OneMail) => (mail.subject === '' ? 'A mail without a subject' : mail.subject),
  load: (look) => oneMail(look.ports, look.viewer, numberIn(look)),
  view: (one, look) => html`<div data-live>${summary(one, look)}
${one.hasHtml ? htmlFrame(one.mail.id) : ''}
<section aria-labelledby="words"><h2 id="words">${one.pieces.length > 0 ? 'Text, and whose words it is' : 'Text'}</h2>${words(one, look)}</section>
${files(one)}${beside(one, look)}${proofOf(one)}
<details><summary>Headers</summary>${
    one.headers.length === 0
      ? html`<p class="soft">Its bytes are not kept here.</p>`
      : html`<dl class="facts">${one.headers.map(({ name, value }) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl><p><a href="/mail/${one.mail.id}/source">All of it as it came</a></p>`
  }</details></div>
${asCommand(look.command(`why ${one.mail.id}`))}<p><a href="/mail" data-up>All mail</a></p>`,
});

function summary(one: OneMail, look: ScreenLook): Html {
  const { mail, run, keptUntil } = one;
  const persona = mail.persona === null ? null : nameOf(look, mail.persona);
  return html`<div class="card"><p>${fatePill(mail.fate)} ${whyInWords(one, persona)}${
    keptUntil === null ? '' : html` It is kept until ${timeOf(keptUntil)}, so it can still be taken in.`
  }</p>${cureHere(one, look)}
<dl class="facts"><dt>${mail.direction === 'in' ? 'From' : 'To'}</dt><dd>${personLink(mail.who)}${mail.tier === null ? '' : html` <span class="soft">${TIERS[mail.tier]}</span>`}</dd>
<dt>${mail.direction === 'in' ? 'To' : 'From'}</dt><dd>${persona ?? mail.recipient ?? 'nobody'}</dd><dt>${mail.direction === 'in' ? 'Came' : 'Left'}</dt><dd>${timeOf(mail.at)}${mail.mailbox === null ? '' : html` <span class="soft">mailbox ${mail.mailbox}</span>`}</dd>${
    run === null
      ? ''
      : html`<dt>Run</dt><dd><a href="/runs/${run.persona}/${run.id}">${runInWords(run.status)}, ${dollars(run.cost_usd)}</a></dd>`
  }${mail.direction === 'out' && mail.detail !== null ? html`<dt>Their server said</dt><dd>${mail.detail}</dd>` : ''}</dl>${deedsOf(one, look)}</div>`;
}

/** What to do: by the button below, where there is one for that. */
function cureHere({ mail, keptUntil, takenAs }: OneMail, look: ScreenLook): Html {
  if (takenAs !== null) return html`<p>It was taken in since: <a href="/mail/${takenAs}">what became of it</a></p>`;
  if (mail.cure === null) return html``;
  const learned = learnableOf(mail);
  const words =
    look.viewer.role === 'owner' && mail.fate === 'refused' && isAllowable(mail)
      ? html`If you know them, let them write to ${nameOf(look, mail.persona ?? '')} by the button below.${keptUntil === null ? '' : ' This mail is answered then.'} <span class="soft">The button writes the address into <code>access.allow</code> of its file.</span>`
      : withCode(headingOf(mail.cure, null), look);
  // Its page has the button for that.
  const after =
    learned === null || keptUntil === null || look.viewer.role !== 'owner'
      ? ''
      : ` If it is real: then “${AGAIN.refused}”.`;
  return html`<p><strong>What to do:</strong> ${words}${after}</p>`;
}

/** What fate a button of its own can change, and what the button says. */
const AGAIN: Readonly<Partial<Record<OneMail['mail']['fate'], string>>> = {
  refused: 'Take it in after all',
  unreadable: 'Read it again',
  not_answered: 'Answer it anew',
};

function deedsOf({ mail, keptUntil, takenAs }: OneMail, look: ScreenLook): Html {
  if (takenAs !== null) return html``;
  const again = mail.fate === 'read' && isLimit(mail.code) ? 'Answer it all the same' : AGAIN[mail.fate];
  if (look.viewer.role !== 'owner' || mail.direction !== 'in' || again === undefined) return html``;
  // While no rule lets its sender in, it would be refused as before.
  const isVain = mail.fate === 'refused' && (keptUntil === null || isAllowable(mail));
  return html`${letInButton(mail, look)}${isVain ? '' : pressOf(look, `/mail/${mail.id}/take-in`, again)}`;
}

type Refused = Pick<OneMail['mail'], 'code' | 'persona' | 'who'>;

/** What lets the sender of a refused mail write from now on; nothing where that is no cure. */
export const letInButton = (mail: Refused & { readonly id: number | string }, look: ScreenLook): Html =>
  look.viewer.role === 'owner' && isAllowable(mail)
    ? pressOf(look, `/mail/${mail.id}/allow`, `Let ${mail.who} write`)
    : html``;

/** A rule lets in whom none names; where nothing proves who wrote, no rule helps. */
const isAllowable = ({ code, persona, who }: Refused): boolean =>
  code === 'sender_not_allowed' && persona !== null && who !== null && isOneAddress(who);

const privacyOf = (id: number, isPrivate: boolean, look: ScreenLook): Html =>
  look.viewer.role !== 'owner'
    ? html``
    : pressOf(
        look,
        `/mail/${id}/private`,
        isPrivate ? 'Treat it as any other again' : 'Make it private: forget it, and find it nowhere else',
        isPrivate ? { off: 'yes' } : {},
      );

/** The row of a mail that the viewer may see. */
const rowOf = (deed: Deed) => {
  const id = numberIn(deed);
  return Number.isSafeInteger(id) ? deed.ports.gateway.seenById(id) : undefined;
};

/** The newest that is told of the mail: what was taken in stands there as a mail that came again. */
async function newestOf({ ports }: Deed, messageId: string, id: number): Promise<{ readonly to: string }> {
  const seen = await ports.gateway.seenByMessageId(messageId);
  return { to: `/mail/${seen.findLast(({ direction }) => direction === 'in')?.id ?? id}` };
}

const takeIn: Act = {
  address: '/mail/:id/take-in',
  needs: 'owner',
  async act(deed) {
    const row = await rowOf(deed);
    if (row?.direction !== 'in') return NO_MAIL;
    const retried = await deed.acting.takeIn(row, deed.viewer.address);
    if (isRefusal(retried)) return { refused: `It cannot be taken in: ${retried.error.message}.`, status: 409 };
    const newest = await newestOf(deed, row.message_id, row.id);
    if (!retried.isDone)
      return {
        refused:
          'It is not taken in: by the rules as they are now it is refused as before. Its page says what to do about that.',
        status: 409,
        page: newest.to,
      };
    return newest;
  },
};

const allow: Act = {
  address: '/mail/:id/allow',
  needs: 'owner',
  async act(deed) {
    const row = await rowOf(deed);
    if (row?.direction !== 'in') return NO_MAIL;
    const { persona_id: persona, from_address: sender } = row;
    if (persona === null || sender === null || row.code !== 'sender_not_allowed' || !isOneAddress(sender))
      return { refused: 'No rule about its sender would have this mail taken in.', status: 422 };
    const stale = notFresh(deed, LETS_IN);
    if (stale) return stale;
    const { denied } = await deed.acting.letIn({ sender, personas: [persona], by: deed.viewer.address });
    if (denied.length > 0) return stillRefused(sender);
    return newestOf(deed, row.message_id, row.id);
  },
};

const makePrivate: Act = {
  address: '/mail/:id/private',
  needs: 'owner',
  async act(deed) {
    const row = await rowOf(deed);
    const { persona_id: persona = null, thread_id: id = null } = row ?? {};
    if (!row || persona === null || id === null) return NO_MAIL;
    const off = deed.form.get('off') === 'yes';
    const late = off ? null : notFresh(deed);
    if (late) return late;
    const { ports, acting, viewer } = deed;
    const { close_after_days: closeAfterDays } = ports.live.current().system.memory;
    await ports.stores.use(persona, (store) =>
      setPrivateBy({ store, clock: ports.clock, ids: acting.ids, closeAfterDays }, { id, off }, viewer.address),
    );
    return { to: `/mail/${row.id}` };
  },
};

const TIERS: Readonly<Record<Tier, string>> = {
  owner: 'an owner',
  member: 'may write',
  known: 'known in this conversation',
  stranger: 'a stranger',
  unauthenticated: 'not proven',
};

const htmlFrame = (id: number): Html =>
  html`<section aria-labelledby="looks"><h2 id="looks">As it looks</h2><iframe class="mail" title="The mail as it looks" src="/mail/${id}/html" sandbox="" referrerpolicy="no-referrer"></iframe><p class="soft">Nothing in it runs, is sent or is fetched from elsewhere. A link shows where it leads and leads nowhere here.</p></section>`;

const WHOSE: Readonly<Record<Piece['kind'], string>> = {
  written: 'written by its sender',
  asked: 'what it answers',
  quoted: 'quoted from others',
  forwarded: 'forwarded, written by others',
  signature: 'what stands below it',
  unknown: 'not known whose words',
};

function words({ pieces, text, mail }: OneMail, look: ScreenLook): Html {
  if (pieces.length > 0)
    return html`${pieces.map(
      (piece) =>
        html`<figure class="piece ${piece.kind === 'written' ? 'own' : ''}"><figcaption class="soft">${WHOSE[piece.kind]}</figcaption><pre tabindex="0">${piece.text}</pre></figure>`,
    )}`;
  if (text !== null) return html`<pre tabindex="0">${text}</pre>`;
  const days = look.ports.live.current().security.quarantine_days;
  return empty(
    mail.fate === 'refused'
      ? `Its text is not kept. Refused mail is kept for ${days} days (quarantine_days in configs/security.json), as far as there is room.`
      : 'Its text is not kept here.',
  );
}

const files = ({ attachments }: OneMail): Html =>
  attachments.length === 0
    ? html``
    : html`<section aria-labelledby="files"><h2 id="files">Files</h2><ul class="rows">${attachments.map(
        ({ name, type, bytes, unreadable }) =>
          html`<li>${name} <span class="soft">${type}, ${bytesOf(bytes)}</span>${unreadable === null ? '' : html` <span class="warn">${unreadable}</span>`}</li>`,
      )}</ul></section>`;

const beside = ({ thread, mail }: OneMail, look: ScreenLook): Html =>
  thread === null
    ? html``
    : html`<section aria-labelledby="thread"><h2 id="thread">The conversation</h2>${thread.isPrivate ? html`<p class="soft">It is private: nothing of it is found or remembered elsewhere.</p>` : ''}${privacyOf(mail.id, thread.isPrivate, look)}<ol class="rows">${thread.mails.map(
        (one) =>
          html`<li ${one.isThis ? raw('aria-current="true"') : ''}>${timeOf(one.received_at)} <span class="soft">${one.direction === 'in' ? 'from' : 'by'}</span> ${one.from ?? 'nobody'} ${
            one.isThis || one.id === null
              ? html`<strong>${one.isThis ? 'this mail' : one.subject}</strong>`
              : html`<a href="/mail/${one.id}">${one.subject}</a>`
          }</li>`,
      )}</ol></section>`;

const proofOf = ({ proof }: OneMail): Html =>
  proof.length === 0
    ? html``
    : html`<section aria-labelledby="proof"><h2 id="proof">What proves who wrote it</h2><dl class="facts">${proof.map(
        ({ what, result }) => html`<dt>${PROOFS[what] ?? what}</dt><dd>${result}</dd>`,
      )}</dl></section>`;

const PROOFS: Readonly<Record<string, string>> = {
  said: 'Found',
  dmarc: 'DMARC: does the domain of From stand for it',
  dkim: 'DKIM: is it signed, and by whom',
  spf: 'SPF: did a server of the domain hand it over',
  arc: 'ARC: what servers before saw, which proves nobody',
};

/** Nothing runs, nothing is fetched, nothing is sent, and no page but ours may frame it. */
const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

/** A mail is written for white paper, whatever the page around it looks like. */
const AROUND = `:root{color-scheme:light}body{margin:12px;background:#fff;color:#111;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}img{max-width:100%;height:auto}a{text-decoration:underline}.picture-left-out{outline:1px dashed #777;padding:0 .3em;color:#555}.picture-left-out:empty{padding:.3em}`;

export const mail: Screen = {
  name: 'Mail',
  address: '/mail',
  key: 'm',
  pages: [list, ...testPages, page],
  acts: [...testActs, takeIn, allow, makePrivate],
  framed: [
    {
      address: '/mail/:id/html',
      async open(look) {
        const found = await htmlOfMail(look.ports, look.viewer, numberIn(look));
        if (found === null) return null;
        const left =
          found.remotePictures === 0
            ? ''
            : `<p class="picture-left-out">${found.remotePictures} of its pictures would be fetched from elsewhere, and are not.</p>`;
        return {
          html: `<!doctype html><html lang="und"><head><meta charset="utf-8"><title>A mail</title><style>${AROUND}</style></head><body>${left}${found.html}</body></html>`,
          policy: POLICY,
        };
      },
    },
    {
      address: '/mail/:id/source',
      async open(look) {
        const source = await sourceOfMail(look.ports, look.viewer, numberIn(look));
        if (source === null) return null;
        const text = Buffer.from(source)
          .toString('utf8')
          .slice(0, 1024 * 1024);
        const page =
          await html`<!doctype html><html lang="und"><head><meta charset="utf-8"><title>A mail as it came</title></head><body><pre>${text}</pre></body></html>`;
        return { html: String(page), policy: POLICY };
      },
    },
  ],
};
