import type { HtmlEscapedString } from 'hono/utils/html';
import type { EditPorts } from '../actions/approvals.ts';
import type { Cancelled } from '../actions/cancel-run.ts';
import type { RetriedMail } from '../actions/mail/retry-mail.ts';
import type { Refusal } from '../actions/refusal.ts';
import type { TestBegun, WantedTest } from '../actions/test-mail.ts';
import type { Persona } from '../config/types.ts';
import type { QueryPorts } from '../queries/ports.ts';
import type { ConsoleViewer, Role } from '../queries/viewer.ts';
import type { SeenMail } from '../storage/types/gateway.ts';
import type { GatewayDesk } from './desk.ts';
import type { Device } from './door/passkeys.ts';

/** A piece of a page. `html` of hono makes it, and escapes whatever is put into it. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** One look at a screen by somebody. */
export interface ScreenLook {
  readonly viewer: ConsoleViewer;
  /** What queries read from, with nothing in it that the viewer may not see. */
  readonly ports: QueryPorts;
  readonly desk: GatewayDesk;
  /** Of the address, by the names that it gives them: `/mail/:id`. */
  readonly params: Readonly<Record<string, string>>;
  /** What follows the question mark: the filters. */
  readonly query: URLSearchParams;
  readonly now: number;
  /** What had changed when it began. */
  readonly since: string;
  /** Whether the viewer has come in so recently that they may do what takes something away. */
  readonly isFresh: boolean;
  /** Goes into every form. */
  readonly formToken: Html;
  /** A command as it is to be typed here. */
  command(words: string): string;
  /** Null: browsers have no passkeys for the name of this console. */
  readonly passkeys: PasskeyLook | null;
}

/** Passkeys of whoever looks. */
interface PasskeyLook {
  /** Where they are made and asked for. */
  readonly origin: string;
  /** The script that hands them on. */
  readonly script: string;
  /** What a device is asked that is to make one; null where it is not asked under that address. */
  askToMake(): Promise<{ readonly asked: string; readonly options: object } | null>;
  /** What it has made in answer to that; null: it is no answer. */
  made(answer: string, asked: string): Promise<(Device & { readonly rp_id: string }) | null>;
}

/** What somebody does who looks. */
export interface Deed extends ScreenLook {
  readonly form: URLSearchParams;
  /** What actions work with; the databases are those of the viewer's `ports`. */
  readonly acting: Acting;
  /** Of whoever does it, by the hash of its token. */
  readonly session: string;
}

/** What actions work with that only a gateway at work has. */
export interface Acting extends EditPorts {
  /** As `runs cancel`. */
  cancelRun(wanted: { readonly persona: Persona; readonly id: string; readonly by: string }): Promise<Cancelled>;
  /** As `mail retry`. */
  takeIn(row: SeenMail, by: string): Promise<RetriedMail | Refusal>;
  /** As `persona try`. */
  tryMail(wanted: WantedTest): Promise<TestBegun | Refusal>;
  /** As `senders allow`; `denied`: personas at which another rule counts before. */
  letIn(wanted: {
    readonly sender: string;
    readonly personas: readonly string[];
    readonly by: string;
  }): Promise<{ readonly denied: readonly string[] }>;
}

/** Why nothing was done, in words. */
export interface NotDone {
  readonly refused: string;
  readonly status: 403 | 404 | 409 | 422;
  /** The page that says more; absent: none does. */
  readonly page?: string;
}

/** Where the browser goes then, or what it is shown where nothing has changed; or why nothing was done, in words. */
export type Done = { readonly to: string } | { readonly title: string; readonly body: Html } | NotDone;

export interface ScreenPage {
  /** With the names of its parts: `/mail/:id`. */
  readonly address: string;
  /** Null: there is nothing, or nothing that this viewer may see; both look the same. */
  open(look: ScreenLook): Promise<{ readonly title: string; readonly body: Html } | null>;
}

/** A document that is shown inside a page in a frame of its own, under a policy of its own. */
interface Framed {
  readonly address: string;
  open(look: ScreenLook): Promise<{ readonly html: string; readonly policy: string } | null>;
}

export interface Act {
  readonly address: string;
  /** Who may do it; an owner may do what an operator may. */
  readonly needs: Exclude<Role, 'viewer'>;
  act(deed: Deed): Promise<Done>;
}

/** One entry of the list on the left, with its pages. */
export interface Screen {
  readonly name: string;
  readonly address: string;
  /** `g` and this letter lead there. */
  readonly key: string;
  /** For whom it is listed and answers; absent: everybody who is let in. */
  isFor?(viewer: ConsoleViewer): boolean;
  /** Whether it stands in the list on the left; absent: always. */
  isListed?(look: ScreenLook): boolean;
  /** A number beside its name; 0: none. */
  count?(look: ScreenLook): Promise<number>;
  /** Where the box at the top looks while one of its pages is open; absent: in mail. */
  readonly search?: { readonly address: string; readonly words: string };
  readonly pages: readonly ScreenPage[];
  readonly framed?: readonly Framed[];
  readonly acts?: readonly Act[];
}

/** A page from what it loads and how that looks; `load` null: there is nothing there. */
export const definePage = <Data>(page: {
  readonly address: string;
  title(data: Data): string;
  load(look: ScreenLook): Promise<Data | null>;
  view(data: Data, look: ScreenLook): Html;
}): ScreenPage => ({
  address: page.address,
  async open(look) {
    const data = await page.load(look);
    return data === null ? null : { title: page.title(data), body: page.view(data, look) };
  },
});
