import { withoutFetches } from './styles/without-fetches.ts';
import { type HtmlToken, readTokens, type StartTag } from './tokens.ts';

// The HTML of a mail for a browser: what it looks like, and nothing that acts. It is shown in a frame without scripts, forms and
// requests as well; what is left out here is what no such frame holds back, such as names that are looked up ahead.

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Written again. Of any other element what is inside it is, and not its tag. */
const SHOWN = words(
  'a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr',
);
/** Left out with all that is inside. */
const DROPPED = words('svg math object applet template noscript noembed noframes audio video canvas select dialog');
const VOID = words('br col hr img wbr');
/** What says how something looks. None of them leads anywhere. */
const ATTRIBUTES = words(
  'style class align valign width height colspan rowspan span border cellpadding cellspacing bgcolor color face size alt title dir lang start type',
);
/** Far more than a person reads; a browser that is given a million elements is of no use to anybody. */
const MOST_CHARACTERS = 512 * 1024;

/** The pictures that a mail brings along, by their Content-ID, each as a `data:` address. */
export type Pictures = ReadonlyMap<string, string>;

export interface SafeHtml {
  /** What belongs into a body. */
  readonly html: string;
  /** Pictures that would have been fetched from elsewhere, which tells their sender that and when the mail is read. */
  readonly remotePictures: number;
  /** It was longer than is shown. */
  readonly isCut: boolean;
}

/** Pure. Linear in what it is given. */
export function shownSafely(html: string, pictures: Pictures): SafeHtml {
  const read = html.slice(0, MOST_CHARACTERS);
  const page: Written = { parts: [], left: [], remotePictures: 0 };
  readTokens(
    read,
    (token) => {
      if (token.kind === 'start') begin(page, token, pictures);
      else if (token.kind === 'end') end(page, token.name);
      else if (page.left.length === 0 && token.kind !== 'comment') page.parts.push(textOf(token));
      return true;
    },
    () => page.left.includes('svg') || page.left.includes('math'),
  );
  return { html: page.parts.join(''), remotePictures: page.remotePictures, isCut: read.length < html.length };
}

interface Written {
  readonly parts: string[];
  /** Elements that are left out and open, the outermost first. */
  readonly left: string[];
  remotePictures: number;
}

function begin(page: Written, tag: StartTag, pictures: Pictures): void {
  const { parts, left } = page;
  if (DROPPED.has(tag.name)) left.push(tag.name);
  if (left.length > 0) return;
  if (tag.name === 'body') parts.push('<div', ...attributesOf(tag), '>');
  else if (tag.name === 'img') picture(page, tag, pictures);
  else if (SHOWN.has(tag.name)) {
    const href = tag.name === 'a' ? tag.attributes.get('href') : undefined;
    // A frame that follows no link can still say where one leads.
    const leads = href === undefined ? [] : [` title="${escaped(href)}"`];
    parts.push(`<${tag.name}`, ...attributesOf(tag, href !== undefined), ...leads, '>');
  }
}

function picture(page: Written, tag: StartTag, pictures: Pictures): void {
  const source = pictureOf(tag.attributes.get('src') ?? '', pictures);
  if (source !== null) page.parts.push('<img', ...attributesOf(tag), ` src="${escaped(source)}"`, '>');
  else {
    page.remotePictures += 1;
    page.parts.push('<span class="picture-left-out">', escaped(tag.attributes.get('alt') ?? ''), '</span>');
  }
}

function end({ parts, left }: Written, name: string): void {
  const at = left.lastIndexOf(name);
  if (at >= 0) left.length = at;
  if (at >= 0 || left.length > 0) return;
  if (name === 'body') parts.push('</div>');
  else if (SHOWN.has(name) && !VOID.has(name)) parts.push(`</${name}>`);
}

/** A style with a `<` in it could be read as ending where it does not; of other text that is no text nothing is shown. */
function textOf(token: Extract<HtmlToken, { kind: 'text' | 'raw' }>): string {
  if (token.kind === 'text') return token.text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return token.name === 'style' && !token.text.includes('<') ? `<style>${withoutFetches(token.text)}</style>` : '';
}

const attributesOf = ({ attributes }: StartTag, hasTitle = false): string[] =>
  [...attributes].flatMap(([name, value]) =>
    ATTRIBUTES.has(name) && !(hasTitle && name === 'title')
      ? [` ${name}="${escaped(name === 'style' ? withoutFetches(value) : value)}"`]
      : [],
  );

const OWN_PICTURE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*$/;

/** Null: it lies elsewhere, or is none that a browser draws without running anything. */
function pictureOf(source: string, pictures: Pictures): string | null {
  const address = source.trim();
  if (address.toLowerCase().startsWith('cid:')) return pictures.get(address.slice(4).toLowerCase()) ?? null;
  return OWN_PICTURE.test(address) ? address : null;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
