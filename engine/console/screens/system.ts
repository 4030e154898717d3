import { html } from 'hono/html';
import { changeOutbox } from '../../actions/mail/outbox.ts';
import { putOnRecord } from '../../actions/on-record.ts';
import { isRefusal } from '../../actions/refusal.ts';
import { hideDisguised } from '../../lib/secrets/secrets.ts';
import { type Granted, type Grants, grantsOf } from '../../queries/gateway/grants.ts';
import { repairsOf } from '../../queries/gateway/health.ts';
import { probeMailboxes } from '../../queries/gateway/mailboxes.ts';
import { type Status, statusOf } from '../../queries/gateway/status.ts';
import { toldLate } from '../../queries/gateway/told-late.ts';
import { type DeadLettersPage, listDeadLetters } from '../../queries/mail/dead-letters.ts';
import { type ListedOutbox, listOutbox } from '../../queries/mail/outbox.ts';
import { extensionKindInWords, leavingInWords, mailboxInWords, reasonInWords } from '../../queries/state-words.ts';
import { listTasks, nextAtOf } from '../../queries/tasks/listing.ts';
import type { OutboxState } from '../../storage/types/outbox.ts';
import type { BackupAsked, BackupHere } from '../desk.ts';
import { asCommand, awayFrom, empty, timeOf } from '../frame.ts';
import { bytesOf, NO_MAIL, nameOf, notFresh } from '../pieces.ts';
import { type Act, type Done, definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';
import { repairList } from './today.ts';

/** So many of each list; the commands have all of them. */
const MOST = 20;
const BACKUPS = 7;
const DUE = 3;

/** Mail that has not left and that a press of a button sends, in this order: what was given up, taken back or lies in Drafts stays so. */
const SENT_AGAIN: Readonly<Record<OutboxState, boolean>> = {
  failed: true,
  unknown: true,
  queued: true,
  sending: false,
  sent: false,
  dropped: false,
  draft: false,
  deleted: false,
};
const UNSENT = (Object.keys(SENT_AGAIN) as OutboxState[]).filter((state) => SENT_AGAIN[state]);

const page = definePage({
  address: '/system',
  title: () => 'System',
  async load(look) {
    const { ports, desk, now } = look;
    const [status, unsent, letters, extensions, backups, tasks] = await Promise.all([
      statusOf(ports),
      Promise.all(UNSENT.map((state) => listOutbox(ports, { limit: MOST, status: state }))),
      listDeadLetters(ports, { limit: MOST }),
      grantsOf(ports),
      desk.backups(BACKUPS),
      listTasks(ports),
    ]);
    const due = tasks
      .flatMap((task) => {
        const at = nextAtOf(task, now);
        return at === null ? [] : [{ at, persona: task.persona.name, name: task.entry.task?.name ?? task.entry.id }];
      })
      .toSorted((one, other) => one.at - other.at)
      .slice(0, DUE);
    return {
      status,
      repairs: [...repairsOf(status), ...(await toldLate(ports, now))],
      unsent: unsent.flatMap(({ outbox }) => outbox),
      hasMoreUnsent: unsent.some(({ next }) => next !== null),
      letters,
      extensions,
      backups,
      due,
    };
  },
  view: (found, look) => html`<div data-live>${
    found.repairs.length === 0
      ? html`<p class="card"><span class="pill ok">well</span> Nothing has to be mended.</p>`
      : repairList(found.repairs, look)
  }
<section aria-labelledby="mailboxes"><h2 id="mailboxes">Mailboxes</h2>${mailboxTable(found.status, look)}</section>
<section aria-labelledby="outbox"><h2 id="outbox">Mail that has not left</h2>${unsentTable(found, look)}</section>
<section aria-labelledby="letters"><h2 id="letters">Mail that could not be read</h2>${letterTable(found, look)}</section>
<section aria-labelledby="backups"><h2 id="backups">Backups</h2>${backupPart(found, look)}</section>
<section aria-labelledby="extensions"><h2 id="extensions">Extensions and tool servers</h2>${extensionTable(found.extensions)}</section>
<section aria-labelledby="jobs"><h2 id="jobs">What it does by itself</h2>${jobList(found, look)}</section>
<section aria-labelledby="versions"><h2 id="versions">Versions</h2>${versionFacts(found.status, look)}</section></div>
${asCommand(look.command('doctor'))}`,
});

const LOOKS: Readonly<Record<Status['mailboxes'][number]['state'], string>> = {
  connected: 'ok',
  retrying: 'bad',
  auth_failed: 'bad',
  needs_login: 'bad',
  disabled: 'soft',
};
const SENDS = {
  ready: ['ready', 'ok'],
  retrying: ['tries again', 'warn'],
  needs_login: ['needs a login', 'bad'],
} as const;

function mailboxTable({ mailboxes }: Status, look: ScreenLook): Html {
  if (mailboxes.length === 0)
    return empty(
      html`No mailbox is set up: mail comes by the door for SMTP of this machine alone. <code>${look.command('mailbox add')}</code> adds one.`,
    );
  return html`<div class="table"><table class="stacks"><thead><tr><th scope="col">Mailbox</th><th scope="col">Reading</th><th scope="col">Last heard</th><th scope="col">Sending</th>${mayDo(look) ? html`<th scope="col">Try it</th>` : ''}</tr></thead><tbody>${mailboxes.map(
    (box) =>
      html`<tr data-entry><td class="short"><strong>${box.id}</strong></td><td><span class="pill ${LOOKS[box.state]}">${mailboxInWords(box.state)}</span>${box.error === null ? '' : html`<br><span class="warn">${hideDisguised(box.error)}</span>`}</td><td>${box.looked_at === null ? html`<span class="soft">not heard since the start</span>` : html`heard ${awayFrom(Date.parse(box.looked_at), look.now)}<br><span class="soft">${timeOf(box.looked_at)}</span>`}</td><td>${sending(box.smtp)}</td>${mayDo(look) ? html`<td><form method="post" action="/system/mailboxes/${encodeURIComponent(box.id)}/test">${look.formToken}<button>Test<span class="unseen"> ${box.id}</span></button></form></td>` : ''}</tr>`,
  )}</tbody></table></div>`;
}

function sending({ state, error, waiting }: Status['mailboxes'][number]['smtp']): Html {
  if (state === null) return html`<span class="soft">does not send</span>`;
  return html`<span class="pill ${SENDS[state][1]}">${SENDS[state][0]}</span>${waiting === 0 ? '' : html` ${waiting} ${waiting === 1 ? 'mail waits' : 'mails wait'}`}${error === null ? '' : html`<br><span class="warn">${hideDisguised(error)}</span>`}`;
}

const mayDo = ({ viewer }: Pick<ScreenLook, 'viewer'>): boolean => viewer.role === 'owner';

interface Unsent {
  readonly unsent: readonly ListedOutbox[];
  readonly hasMoreUnsent: boolean;
}

const unsentTable = ({ unsent, hasMoreUnsent }: Unsent, look: ScreenLook): Html =>
  unsent.length === 0
    ? empty('All mail has left. A mail that a server does not take stands here, with what the server said.')
    : html`<div class="table"><table class="stacks"><thead><tr><th scope="col">Mail</th><th scope="col">To</th><th scope="col">State</th><th scope="col">Next try</th>${mayDo(look) ? html`<th scope="col">Send</th>` : ''}</tr></thead><tbody>${unsent.map((mail) => unsentRow(mail, look))}</tbody></table></div>
${hasMoreUnsent ? html`<p class="soft">These are the newest. <code>${look.command('outbox list --status failed')}</code> lists all that has failed.</p>` : ''}`;

const unsentRow = (mail: ListedOutbox, look: ScreenLook): Html =>
  html`<tr data-entry><td>${mail.subject ?? 'no subject'}<br><span class="soft">of ${nameOf(look, mail.persona)}, ${timeOf(mail.created_at)}</span></td><td>to ${mail.to.map(({ address }) => address).join(', ')}</td><td><span class="pill ${mail.state === 'queued' ? 'soft' : 'bad'}">${leavingInWords(mail.state)}</span>${mail.last_error === null ? '' : html`<br><span class="warn">${hideDisguised(mail.last_error)}</span>`}</td><td>${mail.next_attempt_at === null ? html`<span class="soft">none by itself</span>` : awayFrom(Date.parse(mail.next_attempt_at), look.now)}</td>${
    mayDo(look)
      ? html`<td><form method="post" action="/system/outbox/${mail.persona}/${mail.id}/retry">${look.formToken}<button>${mail.state === 'queued' ? 'Try now' : 'Send again'}<span class="unseen">: ${mail.subject ?? 'no subject'}</span></button></form>
<form method="post" action="/system/outbox/${mail.persona}/${mail.id}/drop">${look.formToken}<button>Give it up<span class="unseen">: ${mail.subject ?? 'no subject'}</span></button></form>${mail.state === 'unknown' ? html`<span class="soft">They may have it already, and then get it twice.</span>` : ''}</td>`
      : ''
  }</tr>`;

const letterTable = ({ letters }: { readonly letters: DeadLettersPage }, look: ScreenLook): Html =>
  letters.dead_letters.length === 0
    ? empty(
        'All mail could be read. One that is too large, or built so that nobody can read it, stands here until it is taken in again.',
      )
    : html`<div class="table"><table class="stacks"><thead><tr><th scope="col">Mail</th><th scope="col">To</th><th scope="col">Why</th><th scope="col">Came</th>${mayDo(look) ? html`<th scope="col">Again</th>` : ''}</tr></thead><tbody>${letters.dead_letters.map(
        (letter) =>
          html`<tr data-entry><td class="person">${letter.subject ?? 'no subject'}<br><span class="soft">${letter.from ?? 'nobody named'}</span></td><td class="short">${letter.persona === null ? 'nobody here' : nameOf(look, letter.persona)}</td><td>${reasonInWords(letter.code)}<br><span class="soft">${hideDisguised(letter.message)}</span></td><td>${timeOf(letter.at)}</td>${mayDo(look) ? html`<td><form method="post" action="/system/letters/${letter.id}/requeue">${look.formToken}<button>Read again<span class="unseen">: ${letter.subject ?? 'no subject'}</span></button></form></td>` : ''}</tr>`,
      )}</tbody></table></div>
${letters.next === null ? '' : html`<p class="soft">These are the newest. <code>${look.command('deadletters list')}</code> lists all.</p>`}`;

interface BackupsFound {
  readonly status: Pick<Status, 'backup'>;
  readonly backups: readonly BackupHere[];
}

function backupPart({ status: { backup }, backups }: BackupsFound, look: ScreenLook): Html {
  const asked = look.desk.backupAsked();
  const [newest] = backups;
  return html`${asked === null ? '' : askedFor(asked, look)}<p>${
    newest === undefined
      ? 'There is no backup: if this machine is lost, all mail and memory of this workspace is.'
      : html`If this machine is lost, what is left is the newest one, made ${awayFrom(newest.at, look.now)}.`
  } ${backup.last?.error ? html`<span class="bad">The last by schedule failed, ${timeOf(backup.last.at)}: ${hideDisguised(backup.last.error)}.</span>` : ''}</p>
${
  backups.length === 0
    ? ''
    : html`<ul class="rows">${backups.map(({ at, path, bytes, withSecrets }) => html`<li data-entry>${timeOf(at)} <span class="soft">${bytes === null ? 'large' : bytesOf(bytes)}${withSecrets ? ', with keys and passwords' : ''}</span><br><code>${path}</code></li>`)}</ul>`
}
${
  mayDo(look) && (asked === null || asked.ended !== null)
    ? html`<form method="post" action="/system/backup" class="deeds">${look.formToken}<button class="main">Back up now</button></form>`
    : ''
}${backup.schedule === null ? html`<p class="soft">None is made by itself: <code>${look.command('backup schedule --daily 03:00')}</code></p>` : ''}`;
}

function askedFor({ by, since, ended }: BackupAsked, look: ScreenLook): Html {
  if (ended === null)
    return html`<p class="card" role="status">A backup is being made since ${timeOf(since)}, asked for by ${by}.</p>`;
  return ended.error === null
    ? html`<p class="card" role="status"><span class="pill ok">made</span> The backup that ${by} asked for was made and verified ${awayFrom(ended.at, look.now)}.</p>`
    : html`<p class="card bad-edge" role="status">The backup that ${by} asked for could not be made: ${hideDisguised(ended.error)}</p>`;
}

const LOADED = { loaded: ['in force', 'ok'], disabled: ['off', 'soft'], error: ['cannot be used', 'bad'] } as const;

function extensionTable({ granted, bundled }: Grants): Html {
  const rest = html`<p class="soft">${bundled} parts that came with the gateway are in force beside these.</p>`;
  if (granted.length === 0)
    return html`${empty('Nothing was added to what came with the gateway. A tool of your own, or a server of the Model Context Protocol, stands here with what it may do.')}${rest}`;
  return html`<div class="table"><table class="stacks"><thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col">May be used as</th><th scope="col">Is given</th></tr></thead><tbody>${granted.map(extensionRow)}</tbody></table></div>${rest}`;
}

const extensionRow = (one: Granted): Html =>
  html`<tr data-entry><td><strong>${one.name}</strong> <span class="soft">${extensionKindInWords(one.kind)}${one.version === null ? '' : ` ${one.version}`}</span></td><td><span class="pill ${LOADED[one.state][1]}">${LOADED[one.state][0]}</span>${one.error === null ? '' : html`<br><span class="warn">${hideDisguised(one.error)}</span>`}${one.waiting.length === 0 ? '' : html`<br><span class="warn">waits for an owner to allow: ${one.waiting.join(', ')}</span>`}</td><td>${one.tools.length === 0 ? html`<span class="soft">no tool is known of it</span>` : one.tools.map(({ name, risk }) => html`<code>${name}</code> <span class="soft">${RISKS[risk] ?? risk}</span> `)}${one.scope === null ? '' : html`<br><span class="soft">granted with ${one.scope}</span>`}</td><td>${one.uses.map((use) => html`<code>${hideDisguised(use)}</code> `)}${one.variables.map(({ name, isSet }) => html`<br><code>${name}</code> <span class="pill ${isSet ? 'ok' : 'bad'}">${isSet ? 'is set' : 'is not set'}</span>`)}${one.uses.length + one.variables.length === 0 ? html`<span class="soft">nothing</span>` : ''}</td></tr>`;

const RISKS: Readonly<Record<string, string>> = {
  read: 'only looks',
  create: 'makes something new',
  write: 'changes something',
  destructive: 'takes something away',
};

interface JobsFound {
  readonly status: Status;
  readonly due: readonly { readonly at: number; readonly persona: string; readonly name: string }[];
}

function jobList({ status, due }: JobsFound, look: ScreenLook): Html {
  const { backup, parked_jobs: parked = [] } = status;
  const { weekly_mail: weekly } = look.ports.live.current().system;
  return html`<ul class="rows"><li>Backups: ${backup.next_at === null ? 'none by itself' : html`the next ${awayFrom(Date.parse(backup.next_at), look.now)} <span class="soft">${timeOf(backup.next_at)}, the newest ${backup.keep} stay</span>`}</li>
<li>The mail about a persona’s week: ${weekly.enabled ? html`to its owners <span class="soft">${WEEKDAYS[weekly.day] ?? weekly.day}, ${weekly.at}</span>` : 'off'}</li>
${due.length === 0 ? html`<li>Tasks of personas: none is due</li>` : due.map(({ at, persona, name }) => html`<li>${name} <span class="soft">task of ${persona}, ${timeOf(at)} (${awayFrom(at, look.now)})</span></li>`)}
${parked.map(({ persona, count, code }) => html`<li><span class="warn">${count} ${count === 1 ? 'job' : 'jobs'} of ${nameOf(look, persona)} cannot be done by this version</span> <span class="soft">${code.replaceAll('_', ' ')}</span></li>`)}</ul>`;
}

const WEEKDAYS: Readonly<Record<string, string>> = {
  sun: 'Sundays',
  mon: 'Mondays',
  tue: 'Tuesdays',
  wed: 'Wednesdays',
  thu: 'Thursdays',
  fri: 'Fridays',
  sat: 'Saturdays',
};

function versionFacts({ uptime_s: up, unhandled_rejections: faults }: Status, look: ScreenLook): Html {
  const { epistle, node } = look.desk.versions();
  return html`<dl class="facts"><dt>Epistle</dt><dd>${epistle}</dd><dt>Node</dt><dd>${node}</dd><dt>Works since</dt><dd>${up === null ? '–' : awayFrom(look.now - up * 1000, look.now)}</dd>${faults === 0 ? '' : html`<dt>Faults of its own</dt><dd class="bad">${faults}: its log says more</dd>`}</dl>
<p class="soft">Whether there is a newer one: <code>${look.command('update --check')}</code></p>`;
}

// What can be done there.

const test: Act = {
  address: '/system/mailboxes/:id/test',
  needs: 'owner',
  async act(deed): Promise<Done> {
    const [found] = await probeMailboxes(deed.ports, deed.params.id);
    if (found === undefined) return { refused: 'There is no such mailbox.', status: 404 };
    if (found.imap?.ok) deed.desk.reconnect(found.id);
    const sides = [
      ['Reading', found.imap],
      ['Sending', found.smtp],
    ] as const;
    return {
      title: `Test of ${found.id}`,
      body: html`<p><a href="/system" data-up>System</a></p>${sides.map(([name, side]) =>
        side === null
          ? ''
          : html`<section class="card${side.ok ? '' : ' bad-edge'}"><h2>${name}</h2><p><span class="pill ${side.ok ? 'ok' : 'bad'}">${side.ok ? 'works' : 'does not work'}</span> ${hideDisguised(side.message)}</p>${side.cure === null ? '' : html`<p>${side.cure}</p>`}${side.warnings.map(({ cause, cure }) => html`<p class="warn">${cause}; ${cure}</p>`)}</section>`,
      )}
<form method="post" action="/system/mailboxes/${encodeURIComponent(found.id)}/test">${deed.formToken}<button>Test again</button></form>
${asCommand(deed.command(`mailbox test ${found.id}`))}`,
    };
  },
};

const retry: Act = {
  address: '/system/outbox/:persona/:id/retry',
  needs: 'owner',
  async act({ ports, acting, params, viewer }): Promise<Done> {
    const { persona: personaId = '', id = '' } = params;
    if (!ports.stores.exists(personaId)) return NO_MAIL;
    const row = await ports.stores.use(personaId, (store) => store.getOutbox(id));
    if (!row) return NO_MAIL;
    if (!SENT_AGAIN[row.state]) return { refused: 'It was given up, or has left meanwhile.', status: 409 };
    const wanted = { personaId, id, change: 'retry', by: viewer.address } as const;
    const became = await changeOutbox({ ...ports, ...acting }, wanted);
    if (became === 'changed') return { to: '/system#outbox' };
    return { refused: 'It has left meanwhile, or is being sent now.', status: 409 };
  },
};

const drop: Act = {
  address: '/system/outbox/:persona/:id/drop',
  needs: 'owner',
  async act({ ports, acting, params, viewer }): Promise<Done> {
    const { persona: personaId = '', id = '' } = params;
    if (!ports.stores.exists(personaId)) return NO_MAIL;
    if (!(await ports.stores.use(personaId, (store) => store.getOutbox(id)))) return NO_MAIL;
    const wanted = { personaId, id, change: 'drop', by: viewer.address } as const;
    const became = await changeOutbox({ ...ports, ...acting }, wanted);
    if (became === 'changed') return { to: '/system#outbox' };
    return { refused: 'It was given up already, has left meanwhile, or is being sent now.', status: 409 };
  },
};

const requeue: Act = {
  address: '/system/letters/:id/requeue',
  needs: 'owner',
  async act({ ports, desk, params, viewer }): Promise<Done> {
    const letter = await ports.gateway.getDeadLetter(params.id ?? '');
    if (!letter) return { refused: 'There is no such mail any more: it was taken in meanwhile.', status: 404 };
    const came = await desk.requeue(letter, viewer.address);
    const isDone = !isRefusal(came) && came.isDone;
    if (isRefusal(came)) return { refused: `It could not be taken in: ${came.error.message}.`, status: 409 };
    if (!isDone)
      return { refused: 'It was tried, and could not be taken in this time either. It is still here.', status: 409 };
    return { to: '/system#letters' };
  },
};

const backUp: Act = {
  address: '/system/backup',
  needs: 'owner',
  async act(deed): Promise<Done> {
    const { ports, desk, viewer } = deed;
    const stale = notFresh(deed, 'A backup holds all that is secret');
    if (stale) return stale;
    if (!desk.backUp(viewer.address)) return { refused: 'A backup is being made already.', status: 409 };
    await putOnRecord(ports, { persona: null, actor: viewer.address, event: 'backup_begun', detail: {} });
    return { to: '/system#backups' };
  },
};

export const system: Screen = {
  name: 'System',
  address: '/system',
  key: 's',
  isFor: ({ ownsGateway }) => ownsGateway,
  pages: [page],
  acts: [test, retry, drop, requeue, backUp],
};
