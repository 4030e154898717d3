import { html } from 'hono/html';
import { isRefusal } from '../../actions/refusal.ts';
import { EYES, type Eyes, isEyes, MOST_OF_TEST, type TestBegun } from '../../actions/test-mail.ts';
import { visible } from '../../delivery/questions/approval-text.ts';
import { headingOf } from '../../delivery/questions/call-blocks.ts';
import { type HeldCall, type TestShape, testMail } from '../../queries/runs/test-mail.ts';
import { outcomeInWords, reasonInWords, runInWords } from '../../queries/state-words.ts';
import { asCommand, dollars, empty } from '../frame.ts';
import { filterOf, NO_PERSONA, nameOf, personaField, pressOf, withCode } from '../pieces.ts';
import { type Act, definePage, type Html, type ScreenLook } from '../screen.ts';

const WHOSE: Readonly<Record<Eyes, string>> = {
  stranger: 'a stranger: no rule names them',
  member: 'a member: a rule lets them write',
  owner: 'you, an owner',
};

export const mayTest = ({ viewer }: Pick<ScreenLook, 'viewer'>): boolean => viewer.role !== 'viewer';

/** Where one is written; `persona`: to whom, where that is known. */
export const testLink = (look: Pick<ScreenLook, 'viewer'>, words: string, persona?: string): Html =>
  mayTest(look)
    ? html`<p><a href="/mail/test${persona === undefined ? '' : `?persona=${persona}`}">${words}</a></p>`
    : html``;

const form = definePage({
  address: '/mail/test',
  title: () => 'A test mail',
  load: async (look) => {
    const chosen = filterOf(look, 'persona');
    const { personas } = look.viewer;
    return mayTest(look) && (chosen === undefined || personas.has(chosen)) ? { chosen } : null;
  },
  view: ({ chosen }, look) => {
    return html`<p>See what a persona answers before anybody writes to it. It works on the mail as if it had come from the one whose eyes you choose, with what they may see. What it would do is shown and not done, the answer goes to nobody, and nothing of it is found, remembered or learned from later. What the model costs is paid, out of the budget of the day.</p>
${
  look.viewer.personas.size === 0
    ? empty('No persona is yours.')
    : html`<form method="post" action="/mail/test" class="fields">${look.formToken}${personaField(look, chosen)}<label>With whose eyes <select name="as" required>${EYES.map((one) => html`<option value="${one}">${WHOSE[one]}</option>`)}</select></label>
<label>Subject <input name="subject" maxlength="${MOST_OF_TEST.subject}" autocomplete="off"></label><label>Text <textarea name="text" rows="8" maxlength="${MOST_OF_TEST.text}" required></textarea></label><button class="main">Try it</button></form>`
}
${asCommand(look.command('persona try <persona> --as stranger'))}<p><a href="/mail" data-up>All mail</a></p>`;
  },
});

const begin: Act = {
  address: '/mail/test',
  needs: 'operator',
  async act({ form: given, viewer, acting, formToken, command }) {
    const as = given.get('as') ?? '';
    const persona = given.get('persona') ?? '';
    if (!viewer.personas.has(persona)) return NO_PERSONA;
    if (!isEyes(as)) return { refused: 'Say with whose eyes: a stranger’s, a member’s or an owner’s.', status: 422 };
    const [subject, text] = ['subject', 'text'].map((name) => (given.get(name) ?? '').replaceAll('\r\n', '\n'));
    const begun = await acting.tryMail({ persona, as, subject: subject ?? '', text: text ?? '', by: viewer.address });
    if (isRefusal(begun))
      return { refused: `It was not tried: ${begun.error.message}.`, status: STATUS[begun.error.code] ?? 422 };
    if (begun.kind === 'begun') return { to: addressOf(begun.persona, begun.runId) };
    const tried = { persona, as, subject: subject ?? '', text: text ?? '' };
    return { title: 'It would begin no work', body: turnedAway(begun, tried, { formToken, command }) };
  },
};

const STATUS: Readonly<Record<string, 403 | 404 | 409>> = { not_found: 404, policy_denied: 403, config_invalid: 409 };

const addressOf = (persona: string, run: string): string => `/mail/test/${persona}/${run}`;

interface Tried {
  readonly persona: string;
  readonly as: string;
  readonly subject: string;
  readonly text: string;
}

const turnedAway = (
  { persona, said, code, cure }: Extract<TestBegun, { kind: 'turned_away' }>,
  tried: Tried,
  look: Pick<ScreenLook, 'formToken' | 'command'>,
): Html =>
  html`<div class="card"><p>${said}</p>${cure === null ? '' : html`<p><strong>What to do:</strong> ${code === 'sender_not_allowed' ? LET_IN : withCode(headingOf(cure, null), look)}</p>`}</div>${otherEyes(tried, look)}<p><a href="/mail/test?persona=${persona}" data-up>Another test mail</a></p>`;

const LET_IN =
  'Nothing, unless you want such mail answered. Whoever is to write is let in by a button on their page under People, or on the first mail of theirs that was refused.';

/** The same mail once more, for whoever wants to compare. */
const otherEyes = ({ as, ...mail }: Tried, look: Pick<ScreenLook, 'formToken'>): Html =>
  html`<h2>The same mail with other eyes</h2><div class="deeds">${EYES.filter((eyes) => eyes !== as).map((eyes) =>
    pressOf(look, '/mail/test', `Try it as ${AS[eyes]}`, { ...mail, as: eyes }),
  )}</div>`;

const AS: Readonly<Record<Eyes, string>> = { stranger: 'a stranger', member: 'a member', owner: 'yourself' };

const tested = definePage({
  address: '/mail/test/:persona/:id',
  title: () => 'What came of a test mail',
  load: async (look) =>
    mayTest(look) ? testMail(look.ports, { persona: look.params.persona ?? '', id: look.params.id ?? '' }) : null,
  view: (found, look) => html`<div data-live>${state(found, look)}
${found.answer === null ? '' : answer(found.answer)}
${held(found)}</div>
<details><summary>The mail that was tried</summary><dl class="facts"><dt>Subject</dt><dd>${found.subject}</dd></dl><pre tabindex="0">${found.text}</pre></details>
${otherEyes({ persona: found.run.persona, as: found.tier, subject: found.subject, text: found.text }, look)}${asCommand(look.command(`runs explain ${found.run.id}`))}${testLink(look, 'Another test mail', found.run.persona)}`,
});

const TIERS: Readonly<Record<TestShape['tier'], string>> = {
  owner: 'an owner',
  member: 'a member',
  known: 'somebody known',
  stranger: 'a stranger',
  unauthenticated: 'nobody who is proven',
};

function state({ run, tier, from }: TestShape, look: ScreenLook): Html {
  const isOver = run.ended_at !== null;
  const what = run.outcome === null ? runInWords(run.status) : outcomeInWords(run.outcome);
  return html`<div class="card"><p><span class="pill soft">test</span> <strong>${what}</strong>${run.code === null ? '' : `: ${reasonInWords(run.code)}`}${
    isOver
      ? ''
      : html`. <span class="soft">This page takes up the answer by itself; without script, load it again.</span>`
  }</p><dl class="facts"><dt>Persona</dt><dd>${visible(nameOf(look, run.persona))}</dd><dt>With the eyes of</dt><dd>${TIERS[tier]} <span class="soft">${from ?? ''}</span></dd><dt>Cost</dt><dd>${dollars(run.cost_usd)}</dd><dt>How it came about</dt><dd><a href="/runs/${run.persona}/${run.id}">its run</a></dd></dl></div>`;
}

const answer = ({ subject, text, mode }: NonNullable<TestShape['answer']>): Html =>
  html`<section aria-labelledby="answer"><h2 id="answer">${mode === 'draft' ? 'The answer, as it would lie in Drafts' : 'The answer, as it would be mailed'}</h2><dl class="facts"><dt>Subject</dt><dd>${subject}</dd></dl><pre tabindex="0">${text}</pre></section>`;

const WOULD: Readonly<Record<HeldCall['would'], readonly [words: string, look: string]>> = {
  be_done: ['would be done', 'ok'],
  be_asked_about: ['would be asked about', 'warn'],
  be_denied: ['would be denied', 'bad'],
};

function held({ held: calls, made, run }: TestShape): Html {
  const looked =
    made.length === 0 ? '' : html`<p class="soft">It looked at what is its own: ${[...new Set(made)].join(', ')}.</p>`;
  if (calls.length === 0)
    return html`${run.ended_at === null ? '' : html`<section aria-labelledby="held"><h2 id="held">What it would do</h2>${empty('Nothing but answer.')}</section>`}${looked}`;
  return html`<section aria-labelledby="held"><h2 id="held">What it would do</h2><p class="soft">Nothing of this was done, and nobody was asked.</p>${calls.map(
    ({ tool, would, by, reason, arguments: args }) =>
      html`<div class="card call"><h3>${tool}</h3><p><span class="pill ${WOULD[would][1]}">${WOULD[would][0]}</span> <span class="soft">by ${by.replaceAll('_', ' ')}${reason === null ? '' : `: ${reason}`}</span></p><pre tabindex="0">${JSON.stringify(args, null, 2)}</pre></div>`,
  )}${looked}</section>`;
}

/** Before the pages of single mails, whose address would fit the first of them as well. */
export const testPages = [form, tested] as const;
export const testActs = [begin] as const;
