import { html } from 'hono/html';
import { endSessions } from '../../actions/end-sessions.ts';
import { type AuditShape, listGatewayAudit } from '../../queries/audit.ts';
import { actorInWords, eventInWords, verdictInWords, wayInWords } from '../../queries/state-words.ts';
import type { ConsoleSession } from '../../storage/types/gateway.ts';
import { isOver } from '../door/sessions.ts';
import { asCommand, empty, timeOf } from '../frame.ts';
import { filterOf, notFresh, pager } from '../pieces.ts';
import { type Act, definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';

const PAGE = 40;
/** Sessions that are looked through for those that are not over. */
const MOST_SESSIONS = 200;

const list = definePage({
  address: '/log-ins',
  title: () => 'Log-ins',
  load: async (look) => {
    const after = filterOf(look, 'after');
    const { audit, next } = await listGatewayAudit(look.ports, { after, limit: PAGE });
    const sessions = await look.ports.gateway.listConsoleSessions(MOST_SESSIONS);
    return { audit, next, isFirst: after === undefined, open: sessions.filter((one) => !isOver(one, look.now)) };
  },
  view: (
    { audit, next, isFirst, open },
    look,
  ) => html`${isFirst ? html`<section aria-labelledby="in"><h2 id="in">Logged in now</h2>${sessionTable(open, look)}</section>` : ''}
<section aria-labelledby="happened"><h2 id="happened">What happened</h2>${
    audit.length === 0
      ? empty('Nobody has come in yet since this is written down. Whoever comes in, leaves or is put out stands here.')
      : html`<div class="table"><table class="stacks"><thead><tr><th scope="col">When</th><th scope="col">Whose, or from where</th><th scope="col">What</th><th scope="col">By</th></tr></thead><tbody>${audit.map(happened)}</tbody></table></div>`
  }</section>
${pager('/log-ins', look, next, isFirst)}${asCommand(look.command('audit'))}`,
});

function sessionTable(open: readonly ConsoleSession[], look: ScreenLook): Html {
  return html`<div class="table"><table class="stacks"><thead><tr><th scope="col">Who</th><th scope="col">As</th><th scope="col">Came</th><th scope="col">Last seen</th>${look.viewer.role === 'owner' ? html`<th scope="col">Put out</th>` : ''}</tr></thead><tbody>${open.map(
    (one) =>
      html`<tr data-entry><td>${one.address}</td><td>${one.role}${wayOf(one.came_by)}</td><td class="when"><span class="soft">since</span> ${timeOf(one.made_at)}</td><td class="when"><span class="soft">seen</span> ${timeOf(one.seen_at)}</td>${
        look.viewer.role === 'owner'
          ? html`<td><form method="post" action="/log-ins/end">${look.formToken}<input type="hidden" name="address" value="${one.address}"><button aria-label="Put out ${one.address} everywhere">Put out</button></form></td>`
          : ''
      }</tr>`,
  )}</tbody></table></div>
<p class="soft">Whoever is put out is put out in every browser, and links that they have not opened let them in no more.</p>`;
}

const wayOf = (by: unknown): string => {
  const words = wayInWords(by);
  return words === null ? '' : `, ${words}`;
};

const happened = ({ at, from, event, decision, actor, detail }: AuditShape): Html =>
  html`<tr data-entry><td class="when">${timeOf(at)}</td><td>${from ?? '–'}</td><td>${eventInWords(event)}${decision === null ? '' : `: ${verdictInWords(event, decision, false)}`}${wayOf(detail.by)}</td><td>${actor === from ? 'themselves' : actorInWords(actor)}</td></tr>`;

const end: Act = {
  address: '/log-ins/end',
  needs: 'owner',
  async act(deed) {
    const { form, viewer, ports, now } = deed;
    const address = form.get('address')?.trim().toLowerCase() ?? '';
    if (address === '') return { refused: 'It is not said who is to be put out.', status: 422 };
    const stale = address === viewer.address ? null : notFresh(deed, 'This puts somebody else out');
    if (stale) return stale;
    const ended = await endSessions(ports, { address, by: viewer.address, now });
    return ended > 0 ? { to: '/log-ins' } : { refused: `${address} is not logged in any more.`, status: 409 };
  },
};

/** Who comes into the console belongs to no persona. */
export const logIns: Screen = {
  name: 'Log-ins',
  address: '/log-ins',
  key: 'l',
  isFor: ({ ownsGateway }) => ownsGateway,
  pages: [list],
  acts: [end],
};
