import { html } from 'hono/html';
import { visible } from '../../delivery/questions/approval-text.ts';
import { headingOf } from '../../delivery/questions/call-blocks.ts';
import { hideDisguised } from '../../lib/secrets/secrets.ts';
import { type SpentToday, spentToday } from '../../queries/costs/today.ts';
import { type Repair, repairsOf, UNSENT_CURE } from '../../queries/gateway/health.ts';
import { defaultProvider } from '../../queries/gateway/provider-in-use.ts';
import { type Status, statusOf } from '../../queries/gateway/status.ts';
import { toldLate } from '../../queries/gateway/told-late.ts';
import { takenSince } from '../../queries/mail/one-mail.ts';
import { listOutbox } from '../../queries/mail/outbox.ts';
import { listReceived } from '../../queries/mail/received.ts';
import { listRuns } from '../../queries/runs/runs.ts';
import { reasonInWords } from '../../queries/state-words.ts';
import { listTasks, nextAtOf } from '../../queries/tasks/listing.ts';
import { asCommand, awayFrom, dollars, empty, timeOf } from '../frame.ts';
import { mayPay, nameOf, pressOf, taskAddress, withCode } from '../pieces.ts';
import { definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';
import { type AskedHere, questionCard, questionsThatWait } from './approvals.ts';
import { letInButton } from './mail.ts';
import { mayTest } from './test-mail.ts';

const QUESTIONS = 5;
const AT_WORK = 10;
const DUE = 5;
const REFUSED = 8;
const UNSENT = 5;
/** Of those that have a budget or have spent something, the dearest. */
const SPENT = 8;

async function nextDue({ ports, now }: ScreenLook) {
  const listed = await listTasks(ports);
  return listed
    .flatMap((task) => {
      const at = nextAtOf(task, now);
      return at === null
        ? []
        : [
            {
              at,
              persona: task.persona.name,
              name: task.entry.task?.name ?? task.entry.id,
              address: taskAddress(task.persona.id, task.entry.id),
            },
          ];
    })
    .toSorted((one, other) => one.at - other.at)
    .slice(0, DUE);
}

const page = definePage({
  address: '/',
  title: () => 'Today',
  async load(look) {
    const { ports, viewer } = look;
    const [status, waiting, { runs }, due, { mails }, spent, seen] = await Promise.all([
      statusOf(ports),
      questionsThatWait(look, { limit: QUESTIONS }),
      listRuns(ports, { limit: AT_WORK, status: 'running' }),
      nextDue(look),
      listReceived(ports, { limit: REFUSED, decision: 'refused' }),
      spentToday(ports, look.now),
      listReceived(ports, { limit: 1 }),
    ]);
    // The mailboxes, keys and files of the gateway are for its owners.
    const repairs = viewer.ownsGateway
      ? [...(await withUnsent(look, repairsOf(status))), ...(await toldLate(ports, look.now))]
      : ownRepairs(status);
    // Nothing has to be done about what was let in meanwhile.
    const since = await Promise.all(mails.map((mail) => takenSince(ports, { ...mail, id: Number(mail.id) })));
    const refused = mails.filter((_, at) => since[at] === null);
    return { status, repairs, waiting, runs, due, refused, spent, isNew: seen.mails.length === 0 };
  },
  view(found, look) {
    const { status, repairs, waiting, runs, due, refused, spent, isNew } = found;
    const isUnread = look.viewer.ownsGateway && !hasModel(look);
    const sum = (of: 'usd' | 'runs') => spent.reduce((all, one) => all + one[of], 0);
    const runsToday = sum('runs');
    const spenders = spent
      .filter(({ usd, budget }) => usd > 0 || budget !== null)
      .toSorted((one, other) => other.usd - one.usd);
    return html`<div data-live>${look.viewer.personas.size === 0 ? empty(html`No persona is yours, or not any more. Its owners stand in its persona.json, or in configs/security.json; where you are one under another address, <code>${look.command('console')}</code> lets you in as that.`) : ''}
<dl class="tiles">
<div class="tile"><dt>Health</dt><dd class="${repairs.length === 0 ? 'ok' : 'bad'}">${repairs.length === 0 ? 'well' : `${repairs.length} to mend`}</dd>${isUnread ? html`<dd class="soft">no model reads mail yet</dd>` : ''}</div>
<div class="tile"><dt>Waits for you</dt><dd>${waiting.asked.length}${waiting.next === null ? '' : '+'}</dd></div>
<div class="tile"><dt>At work</dt><dd>${status.queue.running}</dd><dd class="soft">${status.queue.queued + status.queue.deferred} in the queue</dd></div>
<div class="tile"><dt>Worked on today</dt><dd>${runsToday} ${runsToday === 1 ? 'run' : 'runs'}</dd></div>
<div class="tile"><dt>Spent today</dt><dd>${dollars(sum('usd'))}</dd></div></dl>
${repairs.length === 0 ? '' : repairList(repairs, look)}${repairs.length > 0 && look.viewer.ownsGateway ? html`<p class="soft">A mailbox is tested, and a backup is made, on <a href="/system">System</a>.</p>` : ''}
${firstSteps({ isNew, isUnread }, look)}<h2>Waits for you</h2>${waitingList(waiting.asked, waiting.next !== null, look)}
<h2>At work now</h2>${
      runs.length === 0
        ? empty('Nobody works on anything at this moment.')
        : html`<ul class="rows">${runs.map(
            (run) =>
              html`<li data-entry><a href="/runs/${run.persona}/${run.id}">${visible(run.subject ?? 'a task')}</a> <span class="soft">${nameOf(look, run.persona)}${run.from === null ? '' : ` for ${run.from}`} · since ${timeOf(run.created_at)} · ${dollars(run.cost_usd)} so far</span></li>`,
          )}</ul>`
    }
<h2>Spent today</h2>${
      spenders.length === 0
        ? empty(
            html`Nothing was spent, and no persona has a budget for a day. ${mayPay(look.viewer) ? html`<a href="/costs#budget">Set one</a>` : 'An owner of the gateway sets one.'}`,
          )
        : html`<ul class="rows">${spenders.slice(0, SPENT).map((one) => spentRow(one, look))}</ul><p class="soft">A persona’s day begins at midnight of its own time zone, as its budget does.</p>`
    }
<h2>Due next</h2>${
      due.length === 0
        ? empty('No task is on. A mail makes one: "Every Monday at 8, …".')
        : html`<ul class="rows">${due.map(({ at, persona, name, address }) => html`<li data-entry><a href="${address}">${visible(name)}</a> <span class="soft">${persona} · ${timeOf(at)} (${awayFrom(at, look.now)})</span></li>`)}</ul>`
    }
<h2>Refused last</h2>${
      refused.length === 0
        ? empty('No mail was refused. Where one is, it stands here with what to do about it.')
        : html`<ul class="rows">${refused.map(
            (mail) =>
              html`<li data-entry><strong>${visible(mail.from ?? 'nobody')}</strong> <a href="/mail/${mail.id}">${visible(mail.subject === '' ? '(no subject)' : mail.subject)}</a> <span class="soft">to ${mail.persona === null ? (mail.recipient ?? 'nobody here') : nameOf(look, mail.persona)} · ${timeOf(mail.received_at)}</span><span class="cure">${headingOf(mail.code === null ? 'it was refused' : reasonInWords(mail.code), null)}. <a href="/mail/${mail.id}">What to do<span class="unseen"> about ${visible(mail.subject)}</span></a></span>${letInButton({ ...mail, who: mail.from }, look)}</li>`,
          )}</ul>`
    }</div>
${asCommand(look.command('status'))}`;
  },
});

/** Whether a model reads the mail of a persona; `offline` is none. */
function hasModel({ ports }: ScreenLook): boolean {
  const usual = defaultProvider(ports);
  return [...ports.live.personas().all()].some(
    (one) => one.state === 'ready' && (one.persona.inference.provider ?? usual) !== 'offline',
  );
}

/** What somebody does who has just begun; each step goes once it is done. */
function firstSteps(
  { isNew, isUnread }: { readonly isNew: boolean; readonly isUnread: boolean },
  look: ScreenLook,
): Html {
  const mayTry = isNew && mayTest(look) && look.viewer.personas.size > 0;
  if (!mayTry && !isUnread) return html``;
  return html`<h2>First steps</h2><ul class="rows">${
    mayTry
      ? html`<li><a href="/mail/test">Write a test mail</a> <span class="soft">to see what is answered, and to whom. Nothing is sent.</span></li>`
      : ''
  }${
    isUnread
      ? html`<li>Have a model read your mail: <code>${look.command('setup')}</code> <span class="soft">asks for one, and for a mailbox. This gateway may run on; should it have to stop, setup asks.</span></li>`
      : ''
  }</ul>`;
}

/** What a server said of the mail that could not be sent stands with it. */
async function withUnsent({ ports }: ScreenLook, repairs: readonly Repair[]): Promise<readonly Repair[]> {
  if (!repairs.some(({ cure }) => cure === UNSENT_CURE)) return repairs;
  const { outbox } = await listOutbox(ports, { limit: UNSENT, status: 'failed' });
  const said = outbox.map(
    ({ to, subject, last_error: error }) =>
      `${subject ?? 'no subject'}, to ${to.map(({ address }) => address).join(', ')}: ${hideDisguised(error ?? 'nobody knows why')}`,
  );
  return repairs.map((one) => (one.cure === UNSENT_CURE ? { ...one, details: said } : one));
}

const ownRepairs = ({ personas }: Status): readonly Repair[] =>
  personas
    .filter(({ state }) => state === 'error')
    .map(({ id }) => ({ cause: `${id} is not ready`, cure: `persona validate ${id}` }));

export const repairList = (repairs: readonly Repair[], look: ScreenLook): Html =>
  html`<h2>To mend</h2>${repairs.map(
    ({ cause, cure, details = [], mailbox }) =>
      html`<div class="card bad-edge"><p>${withCode(visible(cause), look)}</p>${details.length === 0 ? '' : html`<ul class="rows">${details.map((one) => html`<li>${typeof one === 'string' ? visible(one) : html`${one.words} ${timeOf(one.at)}`}</li>`)}</ul>`}${cure === null ? '' : asCommand(look.command(cure))}${mailbox === undefined || look.viewer.role !== 'owner' ? '' : pressOf(look, `/system/mailboxes/${encodeURIComponent(mailbox)}/test`, `Test mailbox ${mailbox}`)}</div>`,
  )}`;

function waitingList(asked: readonly AskedHere[], hasMore: boolean, look: ScreenLook): Html {
  if (asked.length === 0)
    return empty(
      'Nothing waits for you. When a persona wants to do what it may not do by itself, its question stands here, and in a mail to you.',
    );
  return html`${asked.map((one) => questionCard(one, look))}${hasMore ? html`<p><a href="/approvals">All questions</a></p>` : ''}`;
}

const spentRow = ({ name, usd, budget }: SpentToday, { viewer }: Pick<ScreenLook, 'viewer'>): Html => {
  const share = budget === null || budget === 0 ? 0 : Math.min(1, usd / budget);
  return html`<li>${name} <span class="soft">${dollars(usd)}${budget === null ? ', no budget for a day' : ` of ${dollars(budget)}, ${dollars(Math.max(0, budget - usd))} left`}</span>${
    budget === null
      ? mayPay(viewer)
        ? html` <a href="/costs#budget">Set one</a>`
        : ''
      : html`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="4"/><rect width="${(share * 100).toFixed(1)}" height="4"/></svg>`
  }</li>`;
};

export const today: Screen = { name: 'Today', address: '/', key: 't', pages: [page] };
