import { html } from 'hono/html';
import { EngineError } from '#contract';
import { pausePersona, resumePersona } from '../../actions/pause.ts';
import { removeRule } from '../../actions/rules.ts';
import { type Spendable, setBudget } from '../../actions/set-up/set-budget.ts';
import { inLine, visible } from '../../delivery/questions/approval-text.ts';
import { toolInWords } from '../../languages/tools.ts';
import { type PersonaLine, type PersonaPage, personaLines, personaPage } from '../../queries/gateway/persona-page.ts';
import { targetOfRule } from '../../queries/mail/rules.ts';
import { RIGHTS_OF, type RightsOf, type ToolRights, type Verdict } from '../../queries/rights.ts';
import { asCommand, dollars, empty, timeOf } from '../frame.ts';
import {
  bar,
  FILE_CHANGED,
  filterOf,
  filters,
  NO_PERSONA,
  NOT_YOUR_MONEY,
  notFresh,
  number,
  pager,
  personLink,
  textOf,
} from '../pieces.ts';
import { type Act, type Deed, type Done, definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';
import { testLink } from './test-mail.ts';

const PAGE = 40;
const NOT_KNOWN = 'Nobody knows before its files are mended.';

const list = definePage({
  address: '/personas',
  title: () => 'Personas',
  async load(look) {
    const after = filterOf(look, 'after');
    const found = await personaLines(look.ports, { after, limit: PAGE, part: filterOf(look, 'q') });
    return { ...found, isFirst: after === undefined };
  },
  view({ lines, next, all, isFirst }, look) {
    const isSet = filterOf(look, 'q') !== undefined;
    return html`${all > PAGE || isSet ? filters('/personas', [textOf(look, 'q', 'Name or address', 'search')], isSet) : ''}<div data-live>${
      lines.length === 0
        ? empty(
            isSet
              ? html`No persona fits. <a href="/personas">Show all</a>`
              : html`No persona is yours. A persona is an address that answers mail; <code>${look.command('persona create')}</code> makes one.`,
          )
        : html`<div class="table"><table class="stacks"><thead><tr><th scope="col">Persona</th><th scope="col">Address</th><th scope="col">State</th><th scope="col">Spent today</th><th scope="col">Waits</th></tr></thead><tbody>${lines.map(
            (line) =>
              html`<tr data-entry><td><a href="/personas/${line.id}">${visible(line.name)}</a></td><td>${line.address ?? html`<span class="soft">none</span>`}</td><td>${statePill(line)}</td><td>${spentOf(line)}</td><td>${waitsOf(line)}</td></tr>`,
          )}</tbody></table></div>`
    }</div>${pager('/personas', look, next, isFirst)}${asCommand(look.command('persona list'))}`;
  },
});

const STATES: Readonly<Record<PersonaLine['state'], readonly [words: string, look: string]>> = {
  on: ['on', 'ok'],
  paused: ['paused', 'warn'],
  stopped: ['stopped', 'warn'],
  error: ['its files are wrong', 'bad'],
};
const statePill = ({ state }: PersonaLine): Html =>
  html`<span class="pill ${STATES[state][1]}">${STATES[state][0]}</span>`;

function spentOf({ today, budget }: PersonaLine): Html {
  const most = budget?.usd_per_day ?? null;
  if (most === null) return html`${dollars(today.usd)} <span class="soft">no budget for a day</span>`;
  const left = Math.max(0, most - today.usd);
  return html`${dollars(today.usd)} of ${dollars(most)}, ${left === 0 ? html`<span class="bad">nothing left</span>` : `${dollars(left)} left`}`;
}

function waitsOf({ waits }: PersonaLine): Html {
  const said = [
    ...(waits.asked > 0 ? [html`<a href="/approvals">${number(waits.asked)} for you</a>`] : []),
    ...(waits.mails > 0 ? [html`${counted(waits.mails, 'mail', 'mails')}`] : []),
    ...(waits.drafts > 0 ? [html`${counted(waits.drafts, 'draft', 'drafts')}`] : []),
    ...(waits.stuck > 0 ? [html`<span class="bad">${counted(waits.stuck, 'mail', 'mails')} not sent</span>`] : []),
    ...(waits.atWork > 0 ? [html`<span class="soft">${number(waits.atWork)} at work</span>`] : []),
  ];
  return said.length === 0
    ? html`<span class="soft">nothing</span>`
    : html`${said.map((one, at) => html`${at === 0 ? '' : ', '}${one}`)}`;
}

const counted = (count: number, one: string, many: string): string => `${number(count)} ${count === 1 ? one : many}`;

const page = definePage({
  address: '/personas/:persona',
  title: ({ line }: PersonaPage) => visible(line.name),
  load: ({ ports, viewer, params }) => personaPage(ports, viewer, params.persona ?? ''),
  view: (found, look) => html`<p><a href="/personas" data-up>Every persona</a></p>
<div data-live>${tiles(found)}
${found.wrong.length === 0 ? '' : html`<div class="card bad-edge"><h2>Its files are wrong</h2><ul class="rows">${found.wrong.map((one) => html`<li>${visible(one)}</li>`)}</ul><p class="soft">Its mail waits until they are mended.</p></div>`}
${switches(found, look)}
${found.line.state === 'error' ? '' : testLink(look, 'Write a test mail to it', found.line.id)}
${look.viewer.ownsGateway ? html`<p><a href="/settings?file=persona%2F${found.line.id}">Its settings, to be changed</a></p>` : ''}
<section aria-labelledby="may"><h2 id="may">What it may</h2>${found.rights === null ? empty(NOT_KNOWN) : matrix(found.rights)}</section>
<section aria-labelledby="who"><h2 id="who">Who is who to it</h2>${whoIsWho(found)}</section>
<section aria-labelledby="rules"><h2 id="rules">What is to hold from now on</h2>${rules(found, look)}</section>
<section aria-labelledby="budget"><h2 id="budget">What it may spend</h2>${budget(found, look)}</section>
<section aria-labelledby="prompt"><h2 id="prompt">What its model was given</h2>${prompt(found)}</section>
<section aria-labelledby="playbooks"><h2 id="playbooks">Ways of working that it has learned</h2>${playbooks(found)}</section>
<section aria-labelledby="memory"><h2 id="memory">What it remembers</h2>${memory(found, look)}</section></div>
${asCommand(look.command(`persona show ${found.line.id}`))}`,
});

function tiles({ line, trust }: PersonaPage): Html {
  const { calls, drafts } = trust ?? {};
  const put = drafts ? drafts.sent + drafts.edited + drafts.deleted + drafts.open : 0;
  return html`<div class="tiles"><dl class="tile"><dt>State</dt><dd>${STATES[line.state][0]}</dd><dd class="soft">${line.address ?? 'no address'}</dd></dl>
<dl class="tile"><dt>Spent today</dt><dd>${dollars(line.today.usd)}</dd><dd class="soft">${line.budget?.usd_per_day ? `of ${dollars(line.budget.usd_per_day)}` : 'no budget for a day'}, ${counted(line.today.runs, 'run', 'runs')}</dd></dl>
<dl class="tile"><dt>Waits</dt><dd>${number(line.waits.asked + line.waits.mails + line.waits.drafts + line.waits.stuck)}</dd><dd class="soft">${waitsOf(line)}</dd></dl>
<dl class="tile"><dt>It has asked</dt><dd>${calls ? counted(calls.asked, 'time', 'times') : 'never'}</dd>${
    calls && calls.asked > 0
      ? html`<dd class="soft">${number(calls.approved)} approved${calls.changed > 0 ? html`, ${number(calls.changed)} of them with a change` : ''}; ${number(calls.denied)} denied${calls.expired > 0 ? `; ${number(calls.expired)} answered by nobody` : ''}; ${number(calls.open)} open</dd>`
      : html`<dd class="soft">what it may not do by itself</dd>`
  }</dl>
<dl class="tile"><dt>Its drafts</dt><dd>${put === 0 ? 'none' : number(put)}</dd><dd class="soft">${
    put === 0 || !drafts
      ? 'its answers leave by themselves'
      : `${number(drafts.sent)} sent as they were, ${number(drafts.edited)} changed first, ${number(drafts.deleted)} deleted, ${number(drafts.open)} lie there`
  }</dd></dl></div>${trust?.isCut ? html`<p class="soft">Of questions and drafts the newest ${number(trust.of)} are counted.</p>` : ''}`;
}

const formOf = (look: ScreenLook, action: string, inside: Html): Html =>
  html`<form method="post" action="${action}" class="deeds">${look.formToken}${inside}</form>`;

function switches({ line }: PersonaPage, look: ScreenLook): Html {
  if (look.viewer.role !== 'owner')
    return html`<p class="soft">You are here as ${look.viewer.role}: an owner may pause it, take rules back and set its budget.</p>`;
  const at = `/personas/${line.id}`;
  if (line.state === 'on' || line.state === 'error')
    return html`<div class="card">${formOf(look, `${at}/pause`, html`<button>Pause it</button><span class="soft hint">Its mail waits and is not lost; its tasks are not run. What it works on now is finished.</span>`)}</div>`;
  return html`<div class="card">${formOf(look, `${at}/resume`, html`<input type="hidden" name="state" value="${line.state}"><button class="main">Let it go on</button><span class="soft hint">${line.waits.mails === 0 ? 'Nothing waits for that.' : `${counted(line.waits.mails, 'mail waits', 'mails wait')} for that.`}</span>`)}</div>`;
}

const HEADS: Readonly<Record<RightsOf, string>> = {
  owner: 'Owner',
  member: 'Member',
  known: 'Known',
  stranger: 'Stranger',
};
const WORDS: Readonly<Record<Verdict['verdict'], readonly [words: string, look: string]>> = {
  allow: ['yes', 'ok'],
  approve: ['asks', 'warn'],
  deny: ['no', 'soft'],
};
const AREAS: Readonly<Record<string, string>> = {
  mail: 'Mail',
  files: 'Files',
  memory: 'What it knows',
  schedule: 'Calendar and tasks',
  web: 'The web',
  shell: 'Programs',
};
const RISKS: Readonly<Record<ToolRights['risk'], string>> = {
  read: 'only looks',
  create: 'makes something new',
  write: 'changes something, or reaches somebody',
  destructive: 'takes something away',
};

function matrix(rights: readonly ToolRights[]): Html {
  const areas = Map.groupBy(rights, ({ scope }) => scope.split(':')[0] ?? '');
  const named = Object.keys(AREAS);
  const sorted = [...areas].toSorted(([a], [b]) => placeOf(named, a) - placeOf(named, b) || (a < b ? -1 : 1));
  return html`<p class="soft">What becomes of a call in a run for each of them, by the same rules that govern calls: it is made (yes), an owner is asked first (asks), or it is not made (no). What a run has read, whose values it passes on and an owner’s own words can make of a yes a question, and of a question a yes.</p>
<div class="table"><table class="rights"><thead><tr><th scope="col">What</th>${RIGHTS_OF.map((tier) => html`<th scope="col">${HEADS[tier]}</th>`)}</tr></thead>${sorted.map(
    ([area, tools]) =>
      html`<tbody><tr><th scope="rowgroup" colspan="5">${AREAS[area] ?? area}</th></tr>${tools.map(toolRows)}</tbody>`,
  )}</table></div>
<dl class="facts rights-of"><dt>Owner</dt><dd>stands among the owners of the persona; a task works for an owner</dd><dt>Member</dt><dd>is let in by an address or a domain</dd><dt>Known</dt><dd>was put into a conversation by an owner, and may do this there alone; its file can name more for them</dd><dt>Stranger</dt><dd>is none of these: their mail is refused, or answered without any of it where everybody may write</dd></dl>`;
}

/** Not as links: whoever has not written yet has no page. */
const listed = (addresses: readonly string[]): Html =>
  addresses.length === 0 ? html`<span class="soft">nobody</span>` : html`${addresses.join(', ')}`;

const whoIsWho = ({ people }: PersonaPage): Html =>
  people === null
    ? empty(NOT_KNOWN)
    : html`<dl class="facts"><dt>Owners</dt><dd>${listed(people.owners)}</dd>
<dt>Members</dt><dd>${listed(people.members)}</dd><dt>Kept out</dt><dd>${listed(people.denied)}</dd>
<dt>Everybody else</dt><dd>${people.isOpen ? 'a stranger, who may write' : 'a stranger, whose mail is refused, or somebody whom an owner has put into a conversation'}</dd></dl>`;

const placeOf = (names: readonly string[], name: string): number => {
  const at = names.indexOf(name);
  return at === -1 ? names.length : at;
};

function toolRows(tool: ToolRights): Html {
  const why = [...new Set(RIGHTS_OF.flatMap((tier) => whyOf(tool.plain[tier]) ?? []))];
  const said = [RISKS[tool.risk], ...(tool.unready === null ? [] : [`cannot be used now: ${tool.unready}`]), ...why];
  return html`<tr><th scope="row">${visible(toolInWords(tool.name, 'en'))} <span class="soft">${said.join('; ')} <code>${tool.scope}</code></span></th>${cells(tool.plain)}</tr>${
    tool.toOwners === null
      ? ''
      : html`<tr><th scope="row" class="under">to owners alone</th>${cells(tool.toOwners)}</tr>`
  }${tool.rules.map(
    ({ when, of }) =>
      html`<tr><th scope="row" class="under">where ${Object.entries(when).map(([name, pattern], at) => html`${at === 0 ? '' : ' and '}${name} is <code>${pattern}</code>`)}</th>${cells(of)}</tr>`,
  )}`;
}

const cells = (of: ToolRights['plain']): Html =>
  html`${RIGHTS_OF.map((tier) => html`<td><span class="${WORDS[of[tier].verdict][1]}">${WORDS[of[tier].verdict][0]}</span></td>`)}`;

/** By what it is decided, where that is more than what the tool does and for whom. */
function whyOf({ by }: Verdict): string | null {
  if (by.startsWith('hook ')) return `kept out by the ${by}`;
  if (by.startsWith('standing rule ')) return 'a rule below says so';
  return WHY[by] ?? null;
}

const WHY: Readonly<Record<string, string>> = {
  'persona.tools.allow': 'its file does not grant it',
  'persona.tools.deny': 'its file denies it',
  'security.tool_policy': 'denied for every persona',
  tool: 'decided by its name for every persona',
  rule: 'decided by a rule for every persona',
};

function rules({ line, rules: { inForce, over }, hasMore }: PersonaPage, look: ScreenLook): Html {
  const mayEnd = look.viewer.role === 'owner';
  const shown = (rule: (typeof inForce)[number]) =>
    html`<blockquote class="lines">${visible(rule.text)}</blockquote><span class="soft">${doesOf(rule)}, ${forWhom(rule)}. Said by ${rule.said_by === 'command' ? 'a command here' : rule.said_by}, ${timeOf(rule.made_at)}${rule.until === null ? '' : html`, until ${timeOf(rule.until)}`}.</span>`;
  return html`${
    inForce.length === 0
      ? empty('No rule holds. A sentence in a mail makes one: “From now on, never promise a date.”')
      : html`<ul class="rows">${inForce.map(
          (rule) =>
            html`<li data-entry>${shown(rule)}${mayEnd ? formOf(look, `/personas/${line.id}/rules/${rule.id}/end`, html`<button>Take it back<span class="unseen">: ${inLine(rule.text, 80)}</span></button>`) : ''}</li>`,
        )}</ul>`
  }${hasMore.rules ? html`<p class="soft">There are more; <code>${look.command('rules list')}</code> has all.</p>` : ''}${
    over.length === 0
      ? ''
      : html`<details><summary>${counted(over.length, 'rule that holds', 'rules that hold')} no more</summary><ul class="rows">${over.map(
          (rule) =>
            html`<li>${shown(rule)}${rule.ended_at === null ? '' : html` <span class="soft">Ended ${timeOf(rule.ended_at)}${rule.ended_by === null || !/@|^command$/.test(rule.ended_by) ? ', as another took its place' : ` by ${rule.ended_by === 'command' ? 'a command here' : rule.ended_by}`}.</span>`}</li>`,
        )}</ul></details>`
  }${asCommand(look.command(`rules list --persona ${line.id}`))}`;
}

type ShownRule = PersonaPage['rules']['inForce'][number];

function doesOf(rule: ShownRule): string {
  const { effect, tools, whom } = rule;
  const to = whom.length === 0 ? '' : ` to ${whom.join(', ')}`;
  const what = tools.map((tool) => visible(toolInWords(tool, 'en'))).join(', ');
  switch (effect) {
    case 'words':
      return 'The model is told so';
    case 'deny':
      return `Never ${what === '' ? 'anything' : what}${to}`;
    case 'allow':
      return `Without asking: ${what}${to}${ofTarget(targetOfRule(rule))}`;
    case 'cc':
      return `A copy goes to ${whom.join(', ')}`;
  }
}

const ofTarget = (target: string | null): string => (target === null ? '' : ` of ${visible(target)}`);

const forWhom = ({ scope, scope_of: of }: ShownRule): string =>
  scope === 'persona' ? 'for all mail' : scope === 'thread' ? 'in one conversation' : `for ${of ?? 'one person'}`;

const LIMITS: Readonly<Record<keyof Spendable, readonly [words: string, step: string]>> = {
  usd_per_day: ['USD for one day', 'any'],
  usd_per_run: ['USD for one run', 'any'],
  tokens_per_run: ['Tokens for one run', '1'],
  runs_per_day: ['Runs for one day', '1'],
  runs_per_sender_per_hour: ['Runs for one sender in an hour', '1'],
};
const LIMIT_NAMES = Object.keys(LIMITS) as (keyof Spendable)[];

function budget({ line }: PersonaPage, look: ScreenLook): Html {
  const limits = line.budget;
  if (limits === null) return empty(NOT_KNOWN);
  const used =
    limits.usd_per_day === null
      ? ''
      : bar(line.today.usd / Math.max(limits.usd_per_day, 1e-9), line.today.usd >= limits.usd_per_day ? 'bad' : 'ok');
  const command = asCommand(look.command(`config set persona/${line.id} budget.usd_per_day 5`));
  if (look.viewer.role !== 'owner' || !look.viewer.ownsGateway)
    return html`<p class="soft">${NOT_YOUR_MONEY.refused}</p><dl class="facts">${LIMIT_NAMES.map((name) => html`<dt>${LIMITS[name][0]}</dt><dd>${limits[name] ?? 'no limit'}</dd>`)}</dl>${used}${command}`;
  return html`<p class="soft">Empty: no limit. Where a limit is reached, mail waits, and you are told.</p>${used}<form method="post" action="/personas/${line.id}/budget" class="filters">${look.formToken}${LIMIT_NAMES.map(
    (name) =>
      html`<label>${LIMITS[name][0]} <input name="${name}" inputmode="decimal" type="number" min="0" step="${LIMITS[name][1]}" value="${limits[name] ?? ''}" autocomplete="off"></label><input type="hidden" name="was_${name}" value="${limits[name] ?? ''}">`,
  )}<span class="deeds"><button>Set</button></span></form>${command}`;
}

function prompt({ line, prompt: last }: PersonaPage): Html {
  if (last === null) return empty('No model was asked yet. After the first mail, the parts of its prompt stand here.');
  const all = Math.max(
    1,
    last.prompt.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const shown = last.prompt
    .filter(({ tokens, error }) => tokens > 0 || error !== null)
    .toSorted((a, b) => b.tokens - a.tokens);
  return html`<p class="soft">In the <a href="/runs/${line.id}/${last.run.id}">last run that asked a model</a>, ${timeOf(last.run.created_at)}: ${
    last.promptTokens === null
      ? 'the vendor counted no tokens'
      : `the vendor counted ${number(last.promptTokens)} tokens, tools included`
  }.${shown.length === 0 ? '' : ' The figures of the parts are estimates.'}</p>${shown.length === 0 ? '' : partTable(shown, all)}`;
}

interface PromptPart {
  readonly name: string;
  readonly tokens: number;
  readonly error: string | null;
}

const partTable = (parts: readonly PromptPart[], all: number): Html =>
  html`<div class="table"><table><thead><tr><th scope="col">Part</th><th scope="col" class="n">Tokens, about</th><th scope="col" class="wide">Share</th></tr></thead><tbody>${parts.map(
    ({ name, tokens, error }) =>
      html`<tr><td>${name}${error === null ? '' : html` <span class="bad">${error}</span>`}</td><td class="n">${number(tokens)}</td><td class="wide">${bar(tokens / all)}</td></tr>`,
  )}</tbody></table></div>`;

const playbooks = ({ playbooks: kinds }: PersonaPage): Html =>
  kinds.length === 0
    ? empty('None. Where a persona may learn, a way of working that went well several times stands here.')
    : html`<ul class="rows">${kinds.map(
        (one) =>
          html`<li>${visible(one.kind.replaceAll('_', ' '))} <span class="soft">${one.version === null ? 'no way of its own yet' : `version ${one.version}${one.pinned ? ', held fast by an owner' : ''}`} · ${counted(one.outcomes, 'run', 'runs')} by it, ${number(one.good)} called good, ${number(one.bad)} bad${one.enabled ? '' : ' · switched off'}</span></li>`,
      )}</ul>`;

function memory({ line, facts, hasMore }: PersonaPage, look: ScreenLook): Html {
  if (facts.length === 0) return empty('Nothing. What people tell it of themselves stands here, with who said it.');
  return html`<ul class="rows">${facts.map(
    (fact) =>
      html`<li>${visible(fact.text)} <span class="soft">of ${fact.subject.includes('@') ? personLink(fact.subject) : 'itself'}, said by ${fact.said_by === 'command' ? 'a command here' : fact.said_by}, ${timeOf(fact.recorded_at)}${fact.status === 'kept' ? '' : `, ${KEPT[fact.status] ?? fact.status}`}</span></li>`,
  )}</ul>${hasMore.facts ? html`<p class="soft">There is more; <code>${look.command(`memory list --persona ${line.id}`)}</code> has all.</p>` : ''}`;
}

const KEPT: Readonly<Record<string, string>> = { candidate: 'not sure yet', disputed: 'somebody says otherwise' };

/** The persona of the address, where it is one that the viewer owns. */
const idIn = ({ ports, params: { persona = '' } }: Deed): string | null =>
  ports.live.personas().get(persona)?.id ?? null;
const portsIn = ({ acting, ports: { root, gateway, stores, clock } }: Deed) => ({
  ...acting,
  root,
  gateway,
  stores,
  clock,
});

const MEANWHILE_STOPPED = 'An owner has said meanwhile that it is to stop. Look at its page again.';
const MEANWHILE_CHANGED = 'Somebody has changed that meanwhile. Look at its page again.';

const pause: Act = {
  address: '/personas/:persona/pause',
  needs: 'owner',
  async act(deed): Promise<Done> {
    const personaId = idIn(deed);
    if (personaId === null) return NO_PERSONA;
    const became = await pausePersona(portsIn(deed), { personaId, by: deed.viewer.address });
    if (became === 'stopped') return { refused: MEANWHILE_STOPPED, status: 409 };
    return became === 'done'
      ? { to: `/personas/${personaId}` }
      : { refused: became === 'paused' ? 'It is paused already.' : MEANWHILE_CHANGED, status: 409 };
  },
};

const resume: Act = {
  address: '/personas/:persona/resume',
  needs: 'owner',
  async act(deed): Promise<Done> {
    const personaId = idIn(deed);
    if (personaId === null) return NO_PERSONA;
    const shown = deed.form.get('state');
    const became = await resumePersona(portsIn(deed), { personaId, by: deed.viewer.address, shown });
    if (became === 'stopped') return { refused: MEANWHILE_STOPPED, status: 409 };
    return typeof became === 'number'
      ? { to: `/personas/${personaId}` }
      : { refused: became === 'on' ? 'It is not paused.' : MEANWHILE_CHANGED, status: 409 };
  },
};

const endRule: Act = {
  address: '/personas/:persona/rules/:rule/end',
  needs: 'owner',
  async act(deed): Promise<Done> {
    const personaId = idIn(deed);
    const { rule: id = '' } = deed.params;
    if (personaId === null || !deed.ports.stores.exists(personaId)) return NO_PERSONA;
    const stale = notFresh(deed, 'A rule may keep it from something');
    if (stale) return stale;
    try {
      await removeRule(portsIn(deed), { personaId, id, by: deed.viewer.address });
    } catch (error) {
      if (error instanceof EngineError && error.code === 'usage')
        return { refused: 'This rule holds no more already.', status: 409 };
      throw error;
    }
    return { to: `/personas/${personaId}#rules` };
  },
};

const spend: Act = {
  address: '/personas/:persona/budget',
  needs: 'owner',
  async act(deed): Promise<Done> {
    const personaId = idIn(deed);
    if (personaId === null) return NO_PERSONA;
    if (!deed.viewer.ownsGateway) return NOT_YOUR_MONEY;
    const wanted = limitsIn(deed);
    if (typeof wanted === 'string') return { refused: wanted, status: 422 };
    const isSet = await setBudget(portsIn(deed), { persona: personaId, ...wanted, by: deed.viewer.address });
    if (!isSet) return FILE_CHANGED;
    deed.ports.live.lookAtPersona(personaId);
    return { to: `/personas/${personaId}#budget` };
  },
};

type Limits = Partial<Record<keyof Spendable, number | null>>;

/** What is to become another, with what was shown of it; why not, in words. */
function limitsIn(deed: Deed): { readonly limits: Limits; readonly shown: Limits } | string {
  const [limits, shown]: [Limits, Limits] = [{}, {}];
  for (const name of LIMIT_NAMES) {
    const [from, to] = [limitIn(deed, `was_${name}`), limitIn(deed, name)];
    if (from === undefined || to === undefined) return `${LIMITS[name][0]}: write a number, or nothing for no limit.`;
    if (from === to) continue;
    limits[name] = to;
    shown[name] = from;
  }
  return Object.keys(limits).length === 0 ? 'It is so already.' : { limits, shown };
}

/** Null: no limit; undefined: it is no number, or the form has no such field. */
function limitIn({ form }: Deed, name: string): number | null | undefined {
  const text = form.get(name)?.trim();
  if (text === undefined) return undefined;
  if (text === '') return null;
  return /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
}

export const personas: Screen = {
  name: 'Personas',
  address: '/personas',
  key: 'n',
  pages: [list, page],
  acts: [pause, resume, endRule, spend],
};
