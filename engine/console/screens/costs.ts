import { html, raw } from 'hono/html';
import { setBudget } from '../../actions/set-up/set-budget.ts';
import { dateInWords } from '../../languages/times.ts';
import { localDay, systemZone } from '../../lib/schedule/zone.ts';
import { type Spending, type SpentOn, spendingOf } from '../../queries/costs/spending.ts';
import { asCommand, dollars, empty, timeOf } from '../frame.ts';
import {
  bar,
  FILE_CHANGED,
  filterOf,
  filters,
  mayPay,
  NOT_YOUR_MONEY,
  nameOf,
  number,
  personaChoice,
  personLink,
  taskAddress,
  textOf,
} from '../pieces.ts';
import { type Act, definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

function rangeIn(look: ScreenLook): { readonly from: string; readonly to: string; readonly today: string } {
  const today = localDay(look.now, systemZone());
  const given = (name: string): string | undefined => {
    const day = filterOf(look, name);
    return day !== undefined && DAY.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined;
  };
  const to = given('to') ?? today;
  const from = given('from') ?? `${to.slice(0, 7)}-01`;
  return from <= to ? { from, to, today } : { from: to, to: from, today };
}

const page = definePage({
  address: '/costs',
  title: () => 'Costs',
  load: async (look) => {
    const { from, to, today } = rangeIn(look);
    const wanted = { from, to, persona: filterOf(look, 'persona') };
    return { spending: await spendingOf(look.ports, look.viewer, wanted), today };
  },
  view: ({ spending, today }, look) => html`${filters(
    '/costs',
    [textOf(look, 'from', 'From', 'date'), textOf(look, 'to', 'To', 'date'), personaChoice(look)],
    ['from', 'to', 'persona'].some((name) => filterOf(look, name) !== undefined),
  )}
<div data-live><p>${spending.from === spending.to ? html`${dayWords(spending.from)}:` : html`${dayWords(spending.from)} to ${dayWords(spending.to)}:`} <strong>${dollars(spending.total.usd)}</strong> in ${number(spending.total.runs)} ${spending.total.runs === 1 ? 'run' : 'runs'}, ${number(spending.total.tokens)} tokens.</p>
${spending.to === today ? forecast(spending) : ''}
${
  spending.total.runs === 0 && spending.total.usd === 0
    ? empty('Nothing was spent in these days. What a model charges for a question stands here on the day of its run.')
    : html`<section aria-labelledby="days"><h2 id="days">By day</h2>${byDay(spending)}</section>
<section aria-labelledby="personas"><h2 id="personas">By persona</h2>${byPersona(spending)}</section>
${sums('models', 'By model', 'No model was asked.', spending.models, (key) => html`${key}`)}
${sums('providers', 'By provider', 'No model was asked.', spending.providers, (key) => html`${key}`)}
${sums('people', 'By person', 'Nobody’s mail was worked on.', spending.people, (key) => personLink(key))}
${sums('tasks', 'By task', 'No task ran.', spending.tasks, (key) => taskOf(key, look))}
${dearest(spending, look)}${
  spending.lookedInto < spending.spenders
    ? html`<p class="soft">Models, people, tasks and runs are those of the ${spending.lookedInto} personas that spent most, of ${spending.spenders}.</p>`
    : ''
}`
}
${budgets(spending, look)}</div>${asCommand(look.command(`usage --from ${spending.from}`))}`,
});

const forecast = ({ month }: Spending): Html =>
  month.daysLeft === 0
    ? html`<p class="soft">This month ${dollars(month.usd)}, and today is its last day.</p>`
    : html`<p class="soft">This month so far ${dollars(month.usd)}. If each of the ${month.daysLeft} days that are left costs what a day of the last seven did on average (${dollars(month.perDay)}), the month comes to ${dollars(month.forecast)}.</p>`;

function byDay({ days }: Spending): Html {
  const most = Math.max(...days.map(({ usd }) => usd), 1e-9);
  const shown = days.filter(({ usd, runs }) => usd > 0 || runs > 0).toReversed();
  const quiet = days.length - shown.length;
  return html`<div class="table"><table><thead><tr><th scope="col">Day</th><th scope="col" class="n">Cost</th><th scope="col" class="n">Runs</th><th scope="col" class="wide">Beside the dearest day</th></tr></thead><tbody>${shown.map(
    ({ key, usd, runs }) =>
      html`<tr><td class="when"><a href="/costs?from=${key}&amp;to=${key}">${dayWords(key)}</a></td><td class="n">${dollars(usd)}</td><td class="n">${runs}</td><td class="wide">${bar(usd / most)}</td></tr>`,
  )}</tbody></table></div><p class="soft">${quiet === 0 ? '' : `On ${quiet} ${quiet === 1 ? 'day' : 'days'} nothing was spent. `}A day is that of the persona’s clock.</p>`;
}

const dayWords = (day: string): string => dateInWords(day, 'en');

/** A task by its key, `<persona>/<task>`: with its name while it has a file. */
function taskOf(key: string, look: ScreenLook): Html {
  const [persona = '', task = ''] = key.split('/');
  const entry = look.ports.live.tasksOf(persona).find(({ id }) => id === task);
  return html`<a href="${taskAddress(persona, task)}">${entry?.task?.name ?? task}</a> <span class="soft">${nameOf(look, persona)}</span>`;
}

const byPersona = ({ personas, days }: Spending): Html =>
  html`<div class="table"><table><thead><tr><th scope="col">Persona</th><th scope="col" class="n">Cost</th><th scope="col" class="n">Runs</th><th scope="col" class="n">Budget</th></tr></thead><tbody>${personas.map(
    ({ key, name, usd, runs, usdPerDay }) =>
      html`<tr><td><a href="/costs?persona=${key}">${name}</a></td><td class="n">${dollars(usd)}</td><td class="n">${runs}</td><td class="n">${usdPerDay === null ? html`<span class="soft">none</span>` : days.length === 1 ? html`${dollars(usdPerDay)}, ${dollars(Math.max(0, usdPerDay - usd))} left` : html`${dollars(usdPerDay)} a day`}</td></tr>`,
  )}</tbody></table></div>`;

function sums(id: string, title: string, none: string, rows: readonly SpentOn[], named: (key: string) => Html): Html {
  const most = Math.max(...rows.map(({ usd }) => usd), 1e-9);
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${
    rows.length === 0
      ? html`<p class="soft">${none}</p>`
      : html`<div class="table"><table><thead><tr><th scope="col">${title.slice(3, 4).toUpperCase()}${title.slice(4)}</th><th scope="col" class="n">Cost</th><th scope="col" class="n">Runs</th><th scope="col" class="n">Tokens</th><th scope="col" class="wide">Share</th></tr></thead><tbody>${rows.map(
          (row) =>
            html`<tr><td>${named(row.key)}</td><td class="n">${dollars(row.usd)}</td><td class="n">${row.runs}</td><td class="n">${number(row.tokens)}</td><td class="wide">${bar(row.usd / most)}</td></tr>`,
        )}</tbody></table></div>`
  }</section>`;
}

const dearest = ({ dearest: runs }: Spending, look: ScreenLook): Html =>
  runs.length === 0
    ? html``
    : html`<section aria-labelledby="dearest"><h2 id="dearest">Dearest runs</h2><ol class="rows">${runs.map(
        (run) =>
          html`<li data-entry><strong>${dollars(run.cost_usd)}</strong> <a href="/runs/${run.persona}/${run.id}">${run.subject ?? 'no subject'}</a> <span class="soft">${nameOf(look, run.persona)}${run.from === null ? '' : ` for ${run.from}`}, ${timeOf(run.created_at)}</span></li>`,
      )}</ol></section>`;

function budgets({ personas }: Spending, look: ScreenLook): Html {
  if (!mayPay(look.viewer) || look.viewer.personas.size === 0) return html``;
  const shown = [...look.viewer.personas].toSorted().slice(0, MOST_CHOICES);
  // Whoever comes here without having looked round means the one that spends and has none.
  const meant = personas.find(({ usdPerDay }) => usdPerDay === null)?.key;
  return html`<section aria-labelledby="budget"><h2 id="budget">What a persona may cost on a day</h2><form method="post" action="/costs/budget" class="filters">${look.formToken}<label>Persona <select name="persona" required>${shown.map(
    (id) =>
      html`<option value="${id}" ${id === meant ? raw('selected') : ''}>${nameOf(look, id)}, ${budgetOf(look, id) === null ? 'no budget now' : `now ${dollars(budgetOf(look, id) ?? 0)}`}</option>`,
  )}</select></label>${shown.map((id) => html`<input type="hidden" name="was_${id}" value="${budgetOf(look, id) ?? ''}">`)}<label>US dollars, or nothing for no budget <input name="usd" inputmode="decimal" autocomplete="off"></label><span class="deeds"><button>Set</button></span></form></section>`;
}

const MOST_CHOICES = 200;

/** What it may cost on a day; null: there is no limit, or its file is wrong. */
function budgetOf({ ports }: ScreenLook, id: string): number | null {
  const entry = ports.live.personas().get(id);
  return entry?.state === 'ready' ? entry.persona.budget.usd_per_day : null;
}

const set: Act = {
  address: '/costs/budget',
  needs: 'owner',
  async act({ viewer, ports, form, acting }) {
    if (!viewer.ownsGateway) return NOT_YOUR_MONEY;
    const persona = form.get('persona') ?? '';
    const entry = ports.live.personas().get(persona);
    if (!entry) return { refused: 'There is no such persona.', status: 404 };
    if (entry.state !== 'ready') return { refused: 'Its file has a fault. Mend that first.', status: 409 };
    const text = (form.get('usd') ?? '').trim();
    if (text !== '' && !/^\d{1,6}(?:[.,]\d{1,4})?$/.test(text))
      return { refused: 'That is no amount in US dollars, such as 2.50.', status: 422 };
    // Without what was shown nobody knows whether another owner has said something else since.
    const was = form.get(`was_${persona}`);
    if (was === null) return FILE_CHANGED;
    const { root, stores, clock } = ports;
    const limits = { usd_per_day: text === '' ? null : Number(text.replace(',', '.')) };
    const shown = { usd_per_day: was === '' ? null : Number(was) };
    const isSet = await setBudget(
      { root, stores, clock, ids: acting.ids },
      { persona, limits, shown, by: viewer.address },
    );
    if (!isSet) return FILE_CHANGED;
    ports.live.lookAtPersona(persona);
    return { to: '/costs' };
  },
};

export const costs: Screen = { name: 'Costs', address: '/costs', key: 'c', pages: [page], acts: [set] };
