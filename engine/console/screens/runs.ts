import { html } from 'hono/html';
import type { Json } from '#contract';
import { retryRun } from '../../actions/retry-run.ts';
import { requestUndo } from '../../actions/undo.ts';
import { visible } from '../../delivery/questions/approval-text.ts';
import { toolInWords } from '../../languages/tools.ts';
import { localTime, systemZone } from '../../lib/schedule/zone.ts';
import type { CallLink, Step } from '../../queries/explain/chain.ts';
import { bundledNames, issueOf } from '../../queries/runs/issue.ts';
import type { ReplayShape } from '../../queries/runs/replay.ts';
import { listRuns } from '../../queries/runs/runs.ts';
import { isWait, type Part, type RunTimeline, runTimeline } from '../../queries/runs/timeline.ts';
import type { RunShape } from '../../queries/shapes.ts';
import { approvalInWords, outcomeInWords, reasonInWords, runInWords, undoInWords } from '../../queries/state-words.ts';
import type { UndoItem } from '../../storage/types/approvals.ts';
import { mayBeTriedAgain } from '../../storage/types/runs.ts';
import { asCommand, awayFrom, dollars, empty, timeOf } from '../frame.ts';
import {
  bar,
  choiceOf,
  filterOf,
  filters,
  NOT_UNDOABLE,
  nameOf,
  number,
  pager,
  personaChoice,
  personLink,
  pressOf,
  tookOf,
} from '../pieces.ts';
import { type Act, type Deed, type Done, definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';

const PAGE = 40;

type Status = RunShape['status'];

/** In the order in which they are chosen, with the look of each. */
const LOOKS: Readonly<Record<Status, 'ok' | 'warn' | 'bad' | 'soft'>> = {
  running: 'ok',
  waiting_approval: 'warn',
  queued: 'soft',
  deferred: 'warn',
  failed: 'bad',
  cancelled: 'soft',
  done: 'ok',
};
const STATUSES = Object.keys(LOOKS) as readonly Status[];

const list = definePage({
  address: '/runs',
  title: () => 'Runs',
  load: async (look) => {
    const persona = filterOf(look, 'persona');
    const status = STATUSES.find((one) => one === filterOf(look, 'status'));
    const after = filterOf(look, 'after');
    return { ...(await listRuns(look.ports, { limit: PAGE, persona, status, after })), isFirst: after === undefined };
  },
  view: ({ runs, next, isFirst }, look) => {
    const isSet = ['persona', 'status'].some((name) => filterOf(look, name) !== undefined);
    return html`${filters(
      '/runs',
      [
        personaChoice(look),
        choiceOf(
          look,
          'status',
          'State',
          'any',
          STATUSES.map((value) => ({ value, words: runInWords(value) })),
        ),
      ],
      isSet,
    )}
<div data-live>${
      runs.length === 0
        ? empty(
            isSet || !isFirst
              ? html`No run fits. <a href="/runs">Show all runs</a>`
              : 'Nothing was worked on yet. Each mail that is taken in, and each due time of a task, begins a run.',
          )
        : html`<div class="table"><table class="stacks"><thead><tr><th scope="col">Began</th><th scope="col">About</th><th scope="col">For</th><th scope="col">Persona</th><th scope="col">State</th><th scope="col" class="n">Took</th><th scope="col" class="n">Cost</th></tr></thead><tbody>${runs.map(
            (
              run,
            ) => html`<tr data-entry><td class="when">${timeOf(run.created_at)}</td><td><a href="/runs/${run.persona}/${run.id}">${run.subject ?? html`<span class="soft">no subject</span>`}</a>${run.kind === 'test' ? html` <span class="pill soft">test</span>` : ''}</td><td class="person">${run.from ?? html`<span class="soft">${run.kind === 'task' ? 'a task' : '–'}</span>`}</td><td class="short">${nameOf(look, run.persona)}</td>
<td>${statePill(run.status)}${run.code === null ? '' : html` <span class="soft">${reasonInWords(run.code)}</span>`}</td><td class="n">${run.ended_at === null ? '' : tookOf(Date.parse(run.ended_at) - Date.parse(run.created_at))}</td><td class="n">${dollars(run.cost_usd)}</td></tr>`,
          )}</tbody></table></div>`
    }</div>
${pager('/runs', look, next, isFirst)}${asCommand(look.command('runs list'))}`;
  },
});

const statePill = (status: Status): Html => html`<span class="pill ${LOOKS[status]}">${runInWords(status)}</span>`;

const namedIn = ({ ports, viewer, params }: ScreenLook): Promise<RunTimeline> =>
  runTimeline(ports, viewer, { persona: params.persona ?? '', id: params.id ?? '' });

const page = definePage({
  address: '/runs/:persona/:id',
  title: ({ about }: RunTimeline & { readonly undos: readonly UndoItem[] }) => about.subject ?? 'A run',
  load: async (look) => {
    const found = await namedIn(look);
    return { ...found, undos: await undosIn(look, found) };
  },
  view: (found, look) => html`<div data-live>${tiles(found)}
${facts(found, look)}
${goingOn(found)}
${deedsOf(found, look)}
${found.undos.map((item) => undoBar(item, found, look))}
<section aria-labelledby="time"><h2 id="time">Where the time went</h2>${waterfall(found)}</section>
<section aria-labelledby="steps"><h2 id="steps">Step by step</h2>${
    found.chain.steps.length === 0
      ? empty('No model was asked.')
      : html`${found.chain.steps.map((step, at) => stepView(step, at, found))}`
  }</section>
${prompt(found)}
${found.answer === null ? '' : html`<section aria-labelledby="answer"><h2 id="answer">The answer as it left</h2><pre tabindex="0">${found.answer}</pre></section>`}
${sources(found)}</div>
${asCommand(look.command(`runs show ${found.run.id}`))}<p><a href="/runs" data-up>All runs</a></p>`,
});

function tiles({ run, total, waited }: RunTimeline): Html {
  return html`<div class="tiles"><dl class="tile"><dt>State</dt><dd>${runInWords(run.status)}</dd>${
    run.code === null ? '' : html`<dd class="soft">${reasonInWords(run.code)}</dd>`
  }${run.outcome === null ? '' : html`<dd class="soft">${outcomeInWords(run.outcome)}</dd>`}</dl>
<dl class="tile"><dt>In all</dt><dd>${tookOf(total)}</dd><dd class="soft">${waited === 0 ? 'without waiting' : `of which waiting ${tookOf(waited)}, at work ${tookOf(Math.max(0, total - waited))}`}</dd></dl>
<dl class="tile"><dt>Cost</dt><dd>${dollars(run.cost_usd)}</dd><dd class="soft">${run.model_calls} ${run.model_calls === 1 ? 'question' : 'questions'} to a model</dd></dl>
<dl class="tile"><dt>Tokens</dt><dd>${number(run.tokens.input + run.tokens.output)}</dd><dd class="soft">${number(run.tokens.input)} in, ${number(run.tokens.cached)} of them cached, ${number(run.tokens.output)} out</dd></dl></div>`;
}

const facts = ({ run, about, mail, reply }: RunTimeline, look: ScreenLook): Html =>
  html`<dl class="facts"><dt>Persona</dt><dd>${nameOf(look, run.persona)}</dd><dt>For</dt><dd>${about.from === null ? (run.kind === 'task' ? 'a task' : 'nobody') : personLink(about.from)}${
    mail === null ? '' : html` <a href="/mail/${mail}">the mail</a>`
  }${run.kind === 'test' ? html` <span class="pill soft">test</span> <a href="/mail/test/${run.persona}/${run.id}">what came of it</a>` : ''}</dd>${reply === null ? '' : html`<dt>Answer</dt><dd><a href="/mail/${reply}">the answer</a></dd>`}<dt>Model</dt><dd>${run.provider === null ? 'none was asked' : `${run.provider}/${run.model}`}</dd><dt>Began</dt><dd>${timeOf(run.created_at)}</dd><dt>Ended</dt><dd>${timeOf(run.ended_at)}</dd></dl>`;

const KINDS: Readonly<Record<Part['kind'], string>> = {
  queue: 'waited for',
  gather: 'gathered',
  model: 'asked',
  tool: 'called',
  owner: 'asked owners about',
  elsewhere: 'waited elsewhere for',
  pause: 'paused',
};

function waterfall({ parts, total, run }: RunTimeline): Html {
  const begin = Date.parse(run.created_at);
  const gathered = parts.filter(({ kind }) => kind === 'gather');
  const shown = [...parts.filter(({ kind }) => kind !== 'gather'), ...togetherOf(gathered)].sort(
    (a, b) => a.from - b.from,
  );
  return html`${partTable(shown, begin, total)}${
    gathered.length < 2
      ? ''
      : html`<details><summary>What was gathered, one by one</summary>${partTable(gathered, begin, total)}</details>`
  }`;
}

/** What was gathered side by side, as one part. */
function togetherOf(gathered: readonly Part[]): Part[] {
  const [first] = gathered;
  if (!first || gathered.length === 1) return [...gathered];
  const from = Math.min(...gathered.map((part) => part.from));
  const to = Math.max(...gathered.map((part) => part.from + part.ms));
  const failed = gathered.filter(({ ok }) => ok === false).length;
  const note = failed === 0 ? null : `${failed} of them failed`;
  return [{ ...first, name: `${gathered.length} parts of the prompt`, from, ms: to - from, ok: failed === 0, note }];
}

function partTable(parts: readonly Part[], begin: number, total: number): Html {
  const whole = Math.max(1, total);
  return html`<div class="table"><table><thead><tr><th scope="col">What</th><th scope="col" class="n">From</th><th scope="col" class="n">To</th><th scope="col" class="n">After</th><th scope="col" class="n">Took</th><th scope="col" class="wide">When</th></tr></thead><tbody>${parts.map(
    (part) =>
      html`<tr><td><span class="soft">${KINDS[part.kind]}</span> ${part.kind === 'pause' ? reasonInWords(part.name) : part.name}${part.note === null ? '' : html` <span class="${part.ok === false ? 'bad' : 'soft'}">${part.note.replaceAll('_', ' ')}</span>`}${part.ok === null ? html` <span class="ok">goes on</span>` : ''}</td><td class="n">${secondOf(part.from)}</td><td class="n">${part.ok === null ? '' : secondOf(part.from + part.ms)}</td><td class="n">${tookOf(Math.max(0, part.from - begin))}</td><td class="n">${tookOf(part.ms)}</td><td class="wide">${bar(part.ms / whole, part.ok === false ? 'bad' : isWait(part) ? 'soft' : 'ok', (part.from - begin) / whole)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** To the second, on the clock of the machine: parts of a run are as short. */
const secondOf = (at: number): string => localTime(systemZone(), at).slice(11, 19);

/** What it is at, of a run that is at work. */
function goingOn({ parts, chain, run }: RunTimeline): Html {
  if (run.ended_at !== null) return html``;
  const calls = chain.steps.flatMap((step) => step.calls);
  const open = parts.filter(({ ok, kind }) => ok === null && (kind === 'tool' || kind === 'model'));
  return html`${open.map((part) => {
    const place = calls.findIndex(({ call_id: id }) => id === part.callId);
    const given = calls[place]?.arguments;
    return html`<p class="card" role="status">Since ${secondOf(part.from)} it waits for ${part.name}${place === -1 ? '' : html`, call ${place + 1} of ${calls.length}: <code>${asJson(given)}</code>`}.</p>`;
  })}`;
}

const MOST_SHOWN = 20_000;
const asJson = (value: Json | unknown): string => shortened(JSON.stringify(value, null, 2) ?? '');
const shortened = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n…` : text);

function stepView(step: Step, at: number, { chain }: RunTimeline): Html {
  const cost = chain.costs[at];
  const calls = step.calls.length === 0 ? 'answered' : step.calls.map(({ tool }) => tool).join(', ');
  return html`<details class="step"><summary>${at + 1}. ${step.reply.error === null ? calls : `failed: ${reasonInWords(step.reply.error)}`}${
    cost?.tokens
      ? html` <span class="soft">${number(cost.tokens.input)} tokens in, ${number(cost.tokens.output)} out${cost.cost_usd === null ? '' : `, ${dollars(cost.cost_usd)}`}</span>`
      : ''
  }</summary>${step.reply.text === '' ? '' : html`<h3>What the model said</h3><pre tabindex="0">${shortened(step.reply.text)}</pre>`}
${step.calls.map(callView)}${step.decisions.map(({ decision, reason }) => html`<p class="soft">Then: ${decision.toLowerCase().replaceAll('_', ' ')} (${reason.replaceAll('_', ' ')})</p>`)}</details>`;
}

const VERDICTS: Readonly<Record<string, string>> = {
  allow: 'allowed',
  approve: 'an owner has to agree',
  deny: 'not allowed',
};

function callView(call: CallLink): Html {
  const { permission, approval, ran, result, observation, steps } = call;
  return html`<div class="card call"><h3>${call.tool}</h3><dl class="facts">
<dt>Permission</dt><dd>${permission === null ? 'none was asked for' : html`${VERDICTS[permission.verdict] ?? permission.verdict}, by ${permission.by.replaceAll('_', ' ')}${permission.reason === undefined ? '' : html`: ${permission.reason}`}`}</dd>
${approval === null ? '' : html`<dt>Owners</dt><dd>${approvalInWords(approval.state, false)}${approval.decided_by === null ? '' : html`, by ${approval.decided_by}`}</dd>`}
<dt>Result</dt><dd>${result === null ? 'it was not made' : result.ok ? 'went well' : html`<span class="bad">failed${result.code === null ? '' : `: ${result.code.replaceAll('_', ' ')}`}</span>`}${ran === null ? '' : html`, ${tookOf(ran.latency_ms)}`}</dd>
${observation?.source == null ? '' : html`<dt>Comes from</dt><dd>${typeof observation.source === 'string' ? observation.source : asJson(observation.source)}</dd>`}</dl>
<details><summary>What it was given</summary><pre tabindex="0">${asJson(call.arguments)}</pre></details>
${observation === null ? '' : html`<details><summary>What the model saw of it</summary><pre tabindex="0">${shortened(observation.shown)}</pre></details>`}
${steps.map(callView)}</div>`;
}

function prompt({ prompt: parts, promptTokens }: RunTimeline): Html {
  if (parts.length === 0) return html``;
  const all = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const shown = parts
    .filter(({ tokens, error }) => tokens > 0 || error !== null)
    .toSorted((a, b) => b.tokens - a.tokens);
  return html`<section aria-labelledby="prompt"><h2 id="prompt">What the prompt was made of</h2><p class="soft">${
    promptTokens === null
      ? 'The vendor counted no tokens.'
      : `The vendor counted ${number(promptTokens)} tokens for the first question, tools and what stands around the parts included.`
  } The figures of the parts are estimates.</p><div class="table"><table><thead><tr><th scope="col">Part</th><th scope="col" class="n">Tokens, about</th><th scope="col" class="wide">Share</th></tr></thead><tbody>${shown.map(
    ({ name, tokens, error }) =>
      html`<tr><td>${name}${error === null ? '' : html` <span class="bad">${error}</span>`}</td><td class="n">${number(tokens)}</td><td class="wide">${bar(tokens / Math.max(1, all))}</td></tr>`,
  )}</tbody></table></div></section>`;
}

function sources({ chain }: RunTimeline): Html {
  const { memory_sources: mails, memory_facts: remembered, standing_rules: rules } = chain;
  if (mails.length + remembered.length + rules.length === 0)
    return html`<section aria-labelledby="given"><h2 id="given">What else the model was given</h2>${empty('No earlier mail of anybody, nothing that is remembered, and no standing rule.')}</section>`;
  return html`<section aria-labelledby="given"><h2 id="given">What else the model was given</h2><ul class="rows">
${mails.map((one) => html`<li><span class="soft">earlier mail of</span> ${one.from ?? 'nobody'}: ${one.subject ?? html`<span class="soft">forgotten since, or private</span>`}${one.foreign ? html` <span class="warn">written by somebody else</span>` : ''}</li>`)}
${remembered.map((one) => html`<li><span class="soft">remembered from</span> ${one.said_by}: ${one.text ?? html`<span class="soft">forgotten since</span>`}</li>`)}
${rules.map((one) => html`<li><span class="soft">rule of</span> ${one.said_by}: ${one.text}${one.ended ? html` <span class="soft">ended since</span>` : ''}</li>`)}</ul></section>`;
}

function deedsOf({ run }: RunTimeline, look: ScreenLook): Html {
  const at = `/runs/${run.persona}/${run.id}`;
  // What waits for something else than an owner is as open as what does.
  const isOpen = run.ended_at === null;
  const isOwner = look.viewer.role === 'owner';
  return html`${isOwner && isOpen ? pressOf(look, `${at}/cancel`, run.kind === 'test' ? 'End it' : 'End it: its sender is told') : ''}${isOwner && mayBeTriedAgain(run) ? pressOf(look, `${at}/retry`, 'Try it once more') : ''}${
    isOpen ? '' : html`<p><a href="${at}/replay">Replay and compare</a></p>`
  }<p><a href="${at}/issue">As an issue, without your names</a></p>`;
}

// What was done in it, and can be taken back.

const undosIn = ({ ports }: Pick<ScreenLook, 'ports'>, { run }: RunTimeline) =>
  ports.stores.use(run.persona, (store) => store.undosOfRun(run.id));

const isOpenUndo = ({ state, until }: UndoItem, now: number): boolean => state === 'open' && until > now;

const undoBar = (item: UndoItem, { run }: RunTimeline, { viewer, formToken, now }: ScreenLook): Html =>
  isOpenUndo(item, now)
    ? html`<div class="coming"><p>${visible(toolInWords(item.tool, 'en'))} was done, and can be taken back until ${timeOf(item.until)} (${awayFrom(item.until, now)}): <code>${asJson(item.arguments)}</code></p>${
        viewer.role === 'owner'
          ? html`<form method="post" action="/runs/${run.persona}/${run.id}/undo">${formToken}<input type="hidden" name="undo" value="${item.id}"><button>Undo what was done</button></form>`
          : ''
      }</div>`
    : html`<p class="soft">${visible(toolInWords(item.tool, 'en'))}: ${undoInWords(item.state)}${item.decided_by === null ? '' : html` by ${item.decided_by}, ${timeOf(item.updated_at)}`}.</p>`;

const undo: Act = {
  address: '/runs/:persona/:id/undo',
  needs: 'owner',
  async act(deed: Deed): Promise<Done> {
    const found = await namedIn(deed);
    const items = (await undosIn(deed, found)).filter(
      (item) => isOpenUndo(item, deed.now) && item.id === deed.form.get('undo'),
    );
    if (items.length === 0) return NOT_UNDOABLE;
    const { acting, viewer, now } = deed;
    const { persona, id } = found.run;
    await deed.ports.stores.use(persona, (store) =>
      requestUndo(acting, { personaId: persona, store, items, by: viewer.address, now }),
    );
    return { to: `/runs/${persona}/${id}` };
  },
};

const issue = definePage({
  address: '/runs/:persona/:id/issue',
  title: () => 'As an issue',
  load: async (look: ScreenLook) => {
    const found = await namedIn(look);
    return { found, text: issueOf(found, { ...look.desk.versions(), bundled: await bundledNames(look.ports) }) };
  },
  view: ({ found: { run, about }, text }, look) =>
    html`<p><a href="/runs/${run.persona}/${run.id}" data-up>${about.subject ?? 'The run'}</a> with nothing of anybody in it: no name, no address, no word of a mail, of a file or of a server. Nothing is sent anywhere.</p>
<pre tabindex="0">${text}</pre><p class="only-script"><button type="button" data-copies="${text}">Copy it</button></p>${asCommand(look.command(`runs issue ${run.id}`))}`,
});

const replayed = definePage({
  address: '/runs/:persona/:id/replay',
  title: () => 'Replayed and compared',
  load: async (look: ScreenLook) => {
    const { persona = '', id = '' } = look.params;
    const { about } = await runTimeline(look.ports, look.viewer, { persona, id });
    // It brings the whole of what works on a run along.
    const { replayOf } = await import('../../queries/runs/replay.ts');
    return { found: await replayOf(look.ports, id), subject: about.subject, persona, id };
  },
  view: (
    { found, subject, persona, id },
    look,
  ) => html`<p><a href="/runs/${persona}/${id}" data-up>${subject ?? 'The run'}</a> was worked once more from what is on record, without a network.</p>
${'open' in found ? empty('It has not ended yet. Come back when it has.') : outcomeOf(found.replay)}
${asCommand(look.command(`runs replay ${id}`))}`,
});

const some = (count: number, what: string): string => `${number(count)} ${what}${count === 1 ? '' : 's'}`;

function outcomeOf({ identical, compared, difference, stale }: ReplayShape): Html {
  const { decisions, requests, calls, mail_bytes: bytes } = compared;
  return html`<p class="card">${identical ? html`<strong class="ok">It is the same</strong>, byte for byte:` : html`<strong class="bad">It is not the same.</strong> Compared were`} ${some(decisions, 'decision')}, ${some(requests, 'question')} to models, ${some(calls, 'result')} and ${some(bytes, 'byte')} of mail.</p>
${[difference, stale].map((one) =>
  one === null
    ? ''
    : html`<h2>${one === stale ? 'A view that does not say what was recorded' : 'First difference'}: ${one.what}</h2><h3>On record</h3><pre tabindex="0">${asJson(one.recorded)}</pre><h3>Now</h3><pre tabindex="0">${asJson(one.replayed)}</pre>`,
)}`;
}

const NO_RUN = { refused: 'There is no such run, or none that you may see.', status: 404 } as const;

const cancel: Act = {
  address: '/runs/:persona/:id/cancel',
  needs: 'owner',
  async act({ ports, params, acting, viewer }) {
    const { persona: name = '', id = '' } = params;
    const entry = ports.live.personas().get(name);
    if (!entry) return NO_RUN;
    if (entry.state !== 'ready')
      return { refused: 'Its persona has a fault in its file, so nobody could be told. Mend that first.', status: 409 };
    const run = await acting.cancelRun({ persona: entry.persona, id, by: viewer.address });
    if (run === 'not_found') return NO_RUN;
    if (run === 'ended') return { refused: 'It is over already.', status: 409 };
    return { to: `/runs/${name}/${id}` };
  },
};

const retry: Act = {
  address: '/runs/:persona/:id/retry',
  needs: 'owner',
  async act({ ports, params, acting, viewer }) {
    const { persona: personaId = '', id = '' } = params;
    if (!ports.stores.exists(personaId)) return NO_RUN;
    const { stores, clock } = ports;
    const run = await retryRun({ ...acting, stores, clock }, { personaId, id, by: viewer.address });
    if (run === 'not_found') return NO_RUN;
    if (run === 'retried') return { refused: 'Its mail has a newer run already.', status: 409 };
    if (run === 'not_failed')
      return {
        refused:
          'Only what failed, was ended, is done in part or got no answer can be tried once more, and a decision is carried out once.',
        status: 409,
      };
    return { to: `/runs/${personaId}/${run.id}` };
  },
};

export const runs: Screen = {
  name: 'Runs',
  address: '/runs',
  key: 'r',
  pages: [list, page, replayed, issue],
  acts: [cancel, retry, undo],
};
