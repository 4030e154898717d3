import { html } from 'hono/html';
import { EngineError } from '#contract';
import { addTask, type PlannedTask, planTask, runTaskNow, setTaskPaused } from '../../actions/tasks.ts';
import { describeProblem } from '../../config/problems/problem.ts';
import type { Persona } from '../../config/types.ts';
import { inLine, visible } from '../../delivery/questions/approval-text.ts';
import { scheduleInWords } from '../../languages/schedule.ts';
import { clockTime, dayOf, dayWithYear } from '../../languages/times.ts';
import { systemZone } from '../../lib/schedule/zone.ts';
import { actorInWords, taskTimeInWords } from '../../queries/state-words.ts';
import { type CalendarDay, type CalendarEntry, type TwoWeeks, taskCalendar } from '../../queries/tasks/calendar.ts';
import { type TimeShape, timeShape } from '../../queries/tasks/history.ts';
import { findTask, type ListedTask, listTasks, nextAtOf } from '../../queries/tasks/listing.ts';
import { type TaskPage, type Told, taskPage } from '../../queries/tasks/one-task.ts';
import { asCommand, awayFrom, dollars, empty, timeOf } from '../frame.ts';
import {
  addressWith,
  filterOf,
  filters,
  NO_PERSONA,
  nameOf,
  number,
  pager,
  personaChoice,
  personaField,
  taskAddress,
} from '../pieces.ts';
import { type Act, type Deed, type Done, definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';

const PAGE = 40;
/** Further away nobody plans, and every look back reads as many rows. */
const MOST_SHIFT = 26;

const idOf = ({ persona, entry }: ListedTask): string => `${persona.id}/${entry.id}`;
const nameOfTask = ({ entry }: ListedTask): string => visible(entry.task?.name ?? entry.id);

const list = definePage({
  address: '/tasks',
  title: () => 'Tasks',
  async load(look) {
    const persona = filterOf(look, 'persona');
    const listed = (await listTasks(look.ports, persona)).toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    const shift = shiftOf(look);
    const after = filterOf(look, 'after');
    const rest = listed.filter((one) => after === undefined || idOf(one) > after);
    const shown = rest.slice(0, PAGE);
    return {
      calendar: await taskCalendar(look.ports, listed, { now: look.now, shift }),
      names: new Map(listed.map((one) => [idOf(one), nameOfTask(one)])),
      schedules: new Map(listed.map((one) => [idOf(one), scheduleOf(one)])),
      shift,
      shown,
      next: rest.length > PAGE ? idOf(shown.at(-1) as ListedTask) : null,
      isFirst: after === undefined,
      isAny: listed.length > 0,
      held: await look.ports.gateway.pausedPersonas(),
    };
  },
  view(found, look) {
    const { calendar, shown, next, isFirst, isAny, held } = found;
    const isSet = filterOf(look, 'persona') !== undefined;
    const choice = look.viewer.personas.size > 1 || isSet ? filters('/tasks', [personaChoice(look)], isSet) : html``;
    const adding = look.viewer.role === 'owner' ? html`<p><a href="/tasks/new">Add a task</a></p>` : html``;
    if (!isAny)
      return html`${choice}${adding}${empty(
        html`There is no task. A mail to a persona makes one: “Every Monday at 8, tell me …”. So does a file in the folder <code>tasks</code> of a persona, or <code>${look.command('tasks add')}</code>.`,
      )}${asCommand(look.command('tasks list'))}`;
    return html`${choice}${adding}<div data-live>${calendarView(found, look)}
<h2>Every task</h2><div class="table"><table class="stacks"><thead><tr><th scope="col">Task</th><th scope="col">Persona</th><th scope="col">When</th><th scope="col">Next</th><th scope="col">State</th></tr></thead><tbody>${shown.map(
      (one) =>
        html`<tr data-entry><td><a href="${taskAddress(one.persona.id, one.entry.id)}">${nameOfTask(one)}</a></td><td>${visible(one.persona.name)}</td><td>${scheduleOf(one)}</td><td class="when">${nextOf(one, look)}</td><td>${stateOf(one, held)}</td></tr>`,
    )}</tbody></table></div></div>
${pager('/tasks', look, next, isFirst)}${asCommand(look.command('tasks list'))}${calendar.past.all === 0 ? '' : asCommand(look.command('tasks history'))}`;
  },
});

/** How many two weeks later, or earlier, the calendar begins. */
function shiftOf(look: ScreenLook): number {
  const shift = Number(filterOf(look, 'shift') ?? '0');
  return Number.isInteger(shift) ? Math.max(-MOST_SHIFT, Math.min(MOST_SHIFT, shift)) : 0;
}

interface Shown {
  readonly calendar: TwoWeeks;
  /** Of tasks by their ids; what has no file any more has none. */
  readonly names: ReadonlyMap<string, string>;
  readonly schedules: ReadonlyMap<string, Html>;
  readonly shift: number;
}

function calendarView({ calendar, names, schedules, shift }: Shown, look: ScreenLook): Html {
  const { days, ahead, past, often } = calendar;
  const [first, last] = [days[0], days.at(-1)];
  const move = (to: number) => addressWith('/tasks', look.query, { shift: to === 0 ? null : String(to), after: null });
  const due = days.flatMap(({ entries }) => entries.filter(({ state }) => state === 'due'));
  return html`<h2>${first ? dayWords(first) : ''} to ${last ? dayWords(last) : ''}</h2>
<nav class="pager" aria-label="Weeks">${shift > -MOST_SHIFT ? html`<a href="${move(shift - 1)}">Two weeks earlier</a>` : ''} ${shift === 0 ? '' : html`<a href="${move(0)}">Around today</a>`} ${shift < MOST_SHIFT ? html`<a href="${move(shift + 1)}">Two weeks later</a>` : ''}</nav>
<ol class="calendar">${days.map((day) => dayView(day, names))}</ol>
${due.length === 0 ? '' : html`<p>${sumOf(due)}${often.length === 0 ? '' : ' Tasks that are due too often for a calendar come besides.'}</p>`}
${ahead.shown < ahead.all ? html`<p class="soft">What is to come is that of the ${ahead.shown} tasks that are due next, of ${ahead.all}. Choose a persona to see the others.</p>` : ''}
${past.shown < past.all ? html`<p class="soft">What was due is that of ${past.shown} personas, of ${past.all}. Choose one to see the others.</p>` : ''}
${often.length === 0 ? '' : html`<p>Too often for a calendar:</p><ul class="rows">${often.map((entry) => html`<li>${oftenView(entry, { names, schedules })}</li>`)}</ul>`}`;
}

/** A time with the day of its week: people plan by those. */
function whenOf(at: number, day: typeof dayOf): Html {
  const place = { language: 'en', zone: systemZone() } as const;
  return html`<time datetime="${new Date(at).toISOString()}">${day(at, place)} ${clockTime(at, place)}</time>`;
}

const dayWords = ({ from }: Pick<CalendarDay, 'from'>): string => dayOf(from, { language: 'en', zone: systemZone() });

const dayView = (day: CalendarDay, names: ReadonlyMap<string, string>): Html =>
  html`<li class="${day.isToday ? 'today' : day.entries.length === 0 ? 'nothing' : ''}"><h3>${dayWords(day)}${day.isToday ? html` <span class="soft">today</span>` : ''}</h3>${
    day.entries.length === 0
      ? html`<p class="soft">nothing</p>`
      : html`<ul>${day.entries.map((entry) => html`<li>${entryView(entry, names)}</li>`)}</ul>`
  }</li>`;

const LOOKS: Readonly<Record<CalendarEntry['state'], string>> = {
  due: 'soft',
  ran: 'ok',
  queued: 'warn',
  skipped: 'soft',
  missed: 'bad',
  failed: 'bad',
};

function entryView(entry: CalendarEntry, names: ReadonlyMap<string, string>): Html {
  const { at, times, persona, task, state, code, run, usd } = entry;
  const words = taskTimeInWords(state, code);
  const cost = state === 'due' ? dueCost(entry) : usd ? dollars(usd) : '';
  return html`<span class="when">${clockTime(at, { language: 'en', zone: systemZone() })}</span> <a href="${taskAddress(persona, task)}">${names.get(`${persona}/${task}`) ?? visible(task)}</a>${times > 1 ? html` <span class="soft">${number(times)} times</span>` : ''} ${
    state === 'due'
      ? ''
      : html`<span class="${LOOKS[state]}">${run === null ? words : html`<a href="/runs/${persona}/${run}">${words}</a>`}</span> `
  }${cost === '' ? '' : html`<span class="soft">${cost}</span>`}`;
}

/** A task that is due every minute, said once. */
const oftenView = (
  { at, persona, task, usd, isGuess }: CalendarEntry,
  { names, schedules }: Pick<Shown, 'names' | 'schedules'>,
): Html =>
  html`<a href="${taskAddress(persona, task)}">${names.get(`${persona}/${task}`) ?? visible(task)}</a> <span class="soft">${schedules.get(`${persona}/${task}`) ?? ''}, next ${timeOf(at)}, ${usd === null || isGuess ? dueCost({ usd, ...(isGuess ? { isGuess } : {}) }) : `about ${dollars(usd)} each time`}</span>`;

/** What is still to come in these days, and what it will cost as far as anybody knows. */
/** Before the first run it is known how little it can cost at the least. */
const dueCost = ({ usd, isGuess }: Pick<CalendarEntry, 'usd' | 'isGuess'>): string =>
  usd === null ? 'cost not known' : isGuess ? `cost not known, at least ${dollars(usd)}` : `about ${dollars(usd)}`;

function sumOf(due: readonly CalendarEntry[]): string {
  const count = (of: readonly CalendarEntry[]) => of.reduce((sum, { times }) => sum + times, 0);
  const [all, unknown] = [count(due), count(due.filter(({ usd, isGuess }) => usd === null || isGuess))];
  const known = due.reduce((sum, { usd, isGuess }) => sum + (isGuess ? 0 : (usd ?? 0)), 0);
  const said =
    unknown === all
      ? 'nobody knows yet what they cost'
      : `about ${dollars(known)}${unknown === 0 ? '' : ` for ${number(all - unknown)} of them; what the other ${number(unknown)} cost nobody knows yet`}`;
  return `To come in these days: ${number(all)} ${all === 1 ? 'run' : 'runs'}, ${said}.`;
}

/** With the zone of its own where that is another one than this machine's. */
function scheduleOf({ entry: { task } }: ListedTask): Html {
  if (!task) return html`–`;
  return html`${scheduleInWords(task.schedule, 'en')}${task.timezone === systemZone() ? '' : html` <span class="soft">on the clock of ${task.timezone}</span>`}`;
}

function nextOf(one: ListedTask, { now }: Pick<ScreenLook, 'now'>): Html {
  const at = nextAtOf(one, now);
  return at === null ? html`–` : html`${timeOf(at)} <span class="soft">${awayFrom(at, now)}</span>`;
}

function stateOf({ entry, row, persona }: ListedTask, held: ReadonlySet<string>): Html {
  if (entry.problems[0]) return html`<span class="bad">its file is wrong</span>`;
  if (!entry.task?.enabled) return html`<span class="soft">switched off in its file</span>`;
  if (row?.paused_reason)
    return html`<span class="warn">paused</span><br><span class="soft">${inLine(row.paused_reason, 200)}</span>`;
  if (held.has(persona.id)) return html`<span class="warn">waits: its persona is paused</span>`;
  return row && row.failures > 0
    ? html`<span class="bad">fails, ${row.failures} ${row.failures === 1 ? 'time' : 'times in a row'}</span>`
    : html`<span class="ok">on</span>`;
}

const TO: Readonly<Record<string, string>> = { owner: 'the owners', none: 'nobody: it stays on record' };

interface OneTask extends TaskPage {
  readonly isFirst: boolean;
  /** Personas that are paused. */
  readonly held: ReadonlySet<string>;
}

const page = definePage({
  address: '/tasks/:persona/:task',
  title: ({ listed, task }: OneTask) => (listed ? nameOfTask(listed) : visible(task)),
  async load(look) {
    const { persona = '', task = '' } = look.params;
    const before = Number(filterOf(look, 'after') ?? '0');
    const wanted = { persona, task, before: before > 0 ? before : undefined, limit: PAGE };
    return {
      ...(await taskPage(look.ports, wanted)),
      isFirst: wanted.before === undefined,
      held: await look.ports.gateway.pausedPersonas(),
    };
  },
  view(found, look) {
    const { persona, task, listed, times, next, isFirst } = found;
    const address = taskAddress(persona, task);
    return html`<p><a href="/tasks" data-up>Every task</a></p><div data-live>${listed === null ? html`<p class="card">Its file is gone, so it is not due any more. What it did stays on record.</p>` : about(found, listed, look)}
${listed === null ? '' : deeds(found, listed, look)}
<h2>What became of it</h2>${
      times.length === 0
        ? empty(
            'It was not due yet. Every due time will stand here with what became of it, also those that were missed.',
          )
        : html`<div class="table"><table class="stacks"><thead><tr><th scope="col">Due</th><th scope="col">What became of it</th><th scope="col">Its mail</th><th scope="col" class="n">Cost</th></tr></thead><tbody>${times.map((time) => timeRow(persona, time))}</tbody></table></div>`
    }</div>${pager(address, look, next, isFirst)}
${asCommand(look.command(listed === null ? `tasks history ${persona}/${task}` : `tasks show ${persona}/${task}`))}`;
  },
});

const MAILS: Readonly<Record<TimeShape['delivery'], string>> = {
  sent: 'sent',
  queued: 'on its way',
  failed: 'could not be sent',
  none: 'none',
};

function timeRow(persona: string, time: TaskPage['times'][number]): Html {
  const { state, code, run_id: run, delivery } = timeShape(persona, time);
  const words = taskTimeInWords(state, code);
  return html`<tr data-entry><td class="when">${whenOf(time.due_at, dayWithYear)}${time.count > 1 ? html` <span class="soft">and ${number(time.count - 1)} before it</span>` : ''}</td><td><span class="${LOOKS[state]}">${run === null ? words : html`<a href="/runs/${persona}/${run}">${words}</a>`}</span></td><td>${run === null ? '–' : MAILS[delivery]}</td><td class="n">${run === null ? '' : dollars(time.cost_usd)}</td></tr>`;
}

function about(
  { coming, usd, isGuess, held, added, paused }: TaskPage & { held: ReadonlySet<string> },
  listed: ListedTask,
  look: ScreenLook,
): Html {
  const { entry } = listed;
  const { task } = entry;
  return html`<dl class="facts"><dt>State</dt><dd>${stateOf(listed, held)}${paused !== null && listed.row?.paused_reason ? html` <span class="soft">since ${toldAt(paused)}</span>` : ''}</dd>
${added === null ? '' : html`<dt>Added</dt><dd>${toldAt(added)}</dd>`}
<dt>Persona</dt><dd>${nameOf(look, listed.persona.id)}</dd>
${entry.problems.length === 0 ? '' : html`<dt>Wrong in its file</dt><dd class="bad">${entry.problems.map((one) => html`${visible(describeProblem(one))} `)}${task ? 'What it said before is in force.' : ''}</dd>`}
${
  task
    ? html`<dt>When</dt><dd>${scheduleOf(listed)} <span class="soft">written <code>${visible(task.schedule)}</code></span></dd>
<dt>Next</dt><dd>${coming.length === 0 ? 'it is not due' : coming.map((at, index) => html`${index === 0 ? '' : '; '}${whenOf(at, dayOf)}`)}</dd>
<dt>One run costs</dt><dd>${usd === null ? 'nobody knows yet' : isGuess ? `nobody knows yet, at least ${dollars(usd)}` : `about ${dollars(usd)}`}</dd>
<dt>Its mail goes to</dt><dd>${typeof task.deliver === 'string' ? (TO[task.deliver] ?? task.deliver) : task.deliver.join(', ')}</dd>`
    : ''
}
<dt>Its file</dt><dd><code>${entry.file}</code></dd></dl>
${task ? html`<h2>What it asks for</h2><pre tabindex="0">${visible(task.prompt)}</pre>` : ''}`;
}

const toldAt = ({ at, by }: Told): Html => html`${whenOf(at, dayWithYear)}, by ${actorInWords(by)}`;

function deeds({ held }: { held: ReadonlySet<string> }, listed: ListedTask, look: ScreenLook): Html {
  const { persona, entry, row } = listed;
  if (look.viewer.role !== 'owner')
    return html`<p class="soft">You are here as ${look.viewer.role}: an owner may run and pause it.</p>`;
  const address = taskAddress(persona.id, entry.id);
  const isPaused = (row?.paused_reason ?? null) !== null;
  const form = (act: string, inside: Html) =>
    html`<form method="post" action="${address}/${act}" class="deeds">${look.formToken}${inside}</form>`;
  return html`<section class="card acts" aria-label="What you can do">${
    entry.task
      ? form(
          'run',
          html`<input type="hidden" name="seen" value="${look.now}"><button class="main">Run it now</button><span class="soft hint">${held.has(persona.id) ? `${visible(persona.name)} is paused, so the run waits until that is over.` : 'Besides its schedule: its next due time stays.'}</span>`,
        )
      : ''
  }${
    row === undefined
      ? html`<p class="soft">The gateway has not seen its file yet; it can be paused in a moment.</p>`
      : isPaused
        ? form(
            'resume',
            html`<button>Let it go on</button><span class="soft hint">What was left out stays left out.</span>`,
          )
        : form(
            'pause',
            html`<label>Why, for whoever looks later <input name="reason" maxlength="${MOST_REASON}" autocomplete="off"></label><button>Pause it</button>`,
          )
  }</section>`;
}

// A task that is not there yet.

/** How often, as it is chosen, with what of a cron line it is. */
const OFTEN: Readonly<Record<string, readonly [words: string, days: string]>> = {
  daily: ['every day', '* * *'],
  weekdays: ['from Monday to Friday', '* * 1-5'],
  mon: ['every Monday', '* * 1'],
  tue: ['every Tuesday', '* * 2'],
  wed: ['every Wednesday', '* * 3'],
  thu: ['every Thursday', '* * 4'],
  fri: ['every Friday', '* * 5'],
  sat: ['every Saturday', '* * 6'],
  sun: ['every Sunday', '* * 0'],
  monthly: ['on the first of each month', '1 * *'],
  once: ['once, on the day below', ''],
};

const FIELDS = ['persona', 'name', 'often', 'at', 'day', 'prompt'] as const;
type Typed = Readonly<Record<(typeof FIELDS)[number], string>>;
const MOST_NAME = 80;
const MOST_PROMPT = 4000;

const typedIn = (from: URLSearchParams): Typed | null =>
  from.has('name')
    ? (Object.fromEntries(FIELDS.map((name) => [name, (from.get(name) ?? '').trim()])) as unknown as Typed)
    : null;

/** Its id is made of its name, of which people know nothing. */
const idOfName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter(Boolean)
    .join('-')
    .slice(0, 60) || 'task';

/** What was typed as a task; why it is none, in words. */
function plannedIn({ ports }: Pick<ScreenLook, 'ports'>, typed: Typed) {
  const { name, often, at, day, prompt } = typed;
  const entry = ports.live.personas().get(typed.persona);
  const days = OFTEN[often]?.[1];
  const [, hour = '', minute = ''] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(at) ?? [];
  if (entry === undefined) return NO_PERSONA.refused;
  if (entry.state !== 'ready') return 'Its persona has a fault in its file. Mend that first.';
  if (name === '' || name.length > MOST_NAME) return `Give it a name of at most ${MOST_NAME} characters.`;
  if (prompt === '' || prompt.length > MOST_PROMPT) return 'Say what is to be done.';
  if (days === undefined) return 'Choose how often.';
  if (hour === '') return 'Write the time as 16:30.';
  const once = `at ${day}T${hour.padStart(2, '0')}:${minute}`;
  const schedule = often === 'once' ? once : `${Number(minute)} ${Number(hour)} ${days}`;
  const draft = { id: idOfName(name), name, schedule, prompt };
  try {
    return { persona: entry.persona, draft, planned: planTask(ports, { persona: entry.persona, draft }) };
  } catch (error) {
    if (error instanceof EngineError && error.code === 'config_invalid') return `It cannot be so: ${error.message}.`;
    throw error;
  }
}

const adding = definePage({
  address: '/tasks/new',
  title: () => 'Add a task',
  load: async (look: ScreenLook) => {
    const typed = typedIn(look.query);
    return look.viewer.role === 'owner' ? { typed, planned: typed === null ? null : plannedIn(look, typed) } : null;
  },
  view({ typed, planned }, look) {
    const isPlanned = planned !== null && typeof planned !== 'string';
    return html`<p><a href="/tasks" data-up>Every task</a></p>
${typeof planned === 'string' ? html`<p class="card bad-edge" role="alert">${visible(planned)}</p>` : ''}
${isPlanned && typed ? asPlanned(planned, typed, look) : ''}
${addForm(typed, look)}${asCommand(look.command('tasks add'))}`;
  },
});

function asPlanned(
  { persona, planned }: { readonly persona: Persona; readonly planned: PlannedTask },
  typed: Typed,
  look: ScreenLook,
): Html {
  const { task, coming } = planned;
  return html`<section class="card" aria-labelledby="planned"><h2 id="planned">This would be added to ${visible(persona.name)}</h2>
<dl class="facts"><dt>Task</dt><dd>${visible(task.name)}</dd><dt>When</dt><dd>${scheduleInWords(task.schedule, 'en')} <span class="soft">on the clock of ${visible(task.timezone)}</span></dd>
<dt>Next</dt><dd>${coming.map((at, index) => html`${index === 0 ? '' : '; '}${whenOf(at, dayOf)}`)}</dd>
<dt>One run costs</dt><dd>nobody knows yet</dd><dt>Its mail goes to</dt><dd>${TO.owner}</dd></dl>
<pre tabindex="0">${visible(task.prompt)}</pre>
<form method="post" action="/tasks/add" class="deeds">${look.formToken}${FIELDS.map((name) => html`<input type="hidden" name="${name}" value="${typed[name]}">`)}<button class="main">Add it</button></form></section>`;
}

const addForm = (typed: Typed | null, look: ScreenLook): Html =>
  html`<form action="/tasks/new" class="fields">${personaField(look, typed?.persona)}
<label>Name <input name="name" value="${typed?.name ?? ''}" maxlength="${MOST_NAME}" required autocomplete="off"></label>
<label>How often <select name="often">${Object.entries(OFTEN).map(([value, [words]]) => chosen(value, words, typed?.often))}</select></label>
<label>Time, such as 16:30 <input name="at" value="${typed?.at ?? ''}" required autocomplete="off" size="6"></label>
<label>Day, for once <input name="day" type="date" value="${typed?.day ?? ''}"></label>
<label>What is to be done<textarea name="prompt" rows="4" maxlength="${MOST_PROMPT}" required>
${typed?.prompt ?? ''}</textarea></label><button>Show when it would be done</button></form>
<p class="soft">Nothing is added before you have seen when it would be done. More, such as who gets its mail, can be said in its file.</p>`;

const chosen = (value: string, words: string, now: string | undefined): Html =>
  value === now
    ? html`<option value="${value}" selected>${words}</option>`
    : html`<option value="${value}">${words}</option>`;

const add: Act = {
  address: '/tasks/add',
  needs: 'owner',
  async act(deed): Promise<Done> {
    if (!deed.ports.live.personas().get(deed.form.get('persona') ?? '')) return NO_PERSONA;
    const typed = typedIn(deed.form);
    const planned = typed === null ? 'Nothing was pressed.' : plannedIn(deed, typed);
    if (typeof planned === 'string') return { refused: planned, status: 422 };
    const { persona, draft } = planned;
    const { root, stores, clock } = deed.ports;
    try {
      await addTask({ root, stores, clock, ids: deed.acting.ids }, { persona, draft, by: deed.viewer.address });
    } catch (error) {
      if (error instanceof EngineError && error.code === 'not_empty')
        return { refused: 'It has a task of that name already. Choose another name.', status: 409 };
      throw error;
    }
    deed.ports.live.lookAtPersona(persona.id);
    return { to: taskAddress(persona.id, draft.id) };
  },
};

const MOST_REASON = 200;

const named = ({ ports, params: { persona = '', task = '' } }: Deed): Promise<ListedTask> =>
  findTask(ports, `${persona}/${task}`);

const portsIn = ({ acting, ports: { stores, clock, live } }: Deed) => ({ ...acting, stores, clock, live });

const run: Act = {
  address: '/tasks/:persona/:task/run',
  needs: 'owner',
  async act(deed): Promise<Done> {
    const { persona, entry } = await named(deed);
    if (!entry.task) return { refused: 'Its file is wrong, so there is nothing to run. Mend it first.', status: 409 };
    const seen = Number(deed.form.get('seen') ?? '');
    if (!Number.isSafeInteger(seen) || seen <= 0) return { refused: 'Nothing was pressed.', status: 422 };
    const ran = await runTaskNow(portsIn(deed), { persona, task: entry.task, by: deed.viewer.address, seen });
    if (ran === undefined)
      return {
        refused: 'It was run by hand since you opened this page. Look at it again before you run it once more.',
        status: 409,
      };
    return { to: taskAddress(persona.id, entry.id) };
  },
};

const pause: Act = {
  address: '/tasks/:persona/:task/pause',
  needs: 'owner',
  async act(deed): Promise<Done> {
    const { persona, entry, row } = await named(deed);
    if (!row) return { refused: 'The gateway has not seen its file yet. Try again in a moment.', status: 409 };
    if (row.paused_reason !== null)
      return { refused: `It is paused already: ${inLine(row.paused_reason, 200)}.`, status: 409 };
    const said = inLine(deed.form.get('reason') ?? '', MOST_REASON);
    const reason = said === '' ? `paused by ${deed.viewer.address}` : `${said} (${deed.viewer.address})`;
    await setTaskPaused(portsIn(deed), { personaId: persona.id, taskId: entry.id, reason, by: deed.viewer.address });
    return { to: taskAddress(persona.id, entry.id) };
  },
};

const resume: Act = {
  address: '/tasks/:persona/:task/resume',
  needs: 'owner',
  async act(deed): Promise<Done> {
    const { persona, entry, row } = await named(deed);
    if (!row || row.paused_reason === null) return { refused: 'It is not paused.', status: 409 };
    await setTaskPaused(portsIn(deed), {
      personaId: persona.id,
      taskId: entry.id,
      reason: null,
      by: deed.viewer.address,
    });
    return { to: taskAddress(persona.id, entry.id) };
  },
};

export const tasks: Screen = {
  name: 'Tasks',
  address: '/tasks',
  key: 'k',
  pages: [list, adding, page],
  acts: [add, run, pause, resume],
};
