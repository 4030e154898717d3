import { htmlMail, plainMail } from './answer-clients.ts';
import { mime, multipart, part, REPLY, rawMail } from './build.ts';

const styled = (css: string, body: string): Buffer => htmlMail(`<style>${css}</style>${body}`);
const stroke = (word: string, sign = '\u0336'): string => Array.from(word, (letter) => letter + sign).join('');
const both = (plain: string, html: string): Buffer => {
  const { body = '', headers = [] } = multipart('alternative', 'b', part('text/plain', plain), part('text/html', html));
  return rawMail('approval', { headers: [...REPLY, ...mime(headers[1]?.[1] ?? '')], body });
};

/** Answers whose yes a person sees crossed out, or may not see at all: none of them lets anything through. */
export const struckAnswers: Readonly<Record<string, Buffer>> = {
  s: htmlMail('<div><s>approve</s></div>'),
  strike: htmlMail('<div><strike>Approved.</strike> Regards, Maria</div>'),
  del: htmlMail('<p><del>yes</del></p><p>Maria</p>'),
  'a part of the word': htmlMail('<div>app<s>ro</s>ve</div>'),
  'the number': htmlMail('<div>approve <s>1</s></div>'),
  'around a block': htmlMail('<s><div>Thanks!</div><div>approve</div></s>'),
  'three lines of a pre': htmlMail('<pre>Thanks!<s>\nnot so\napprove\nreally</s></pre>'),
  'by style': htmlMail('<span style="text-decoration:line-through">ok</span>'),
  'by style of a line': htmlMail('<div style="text-decoration-line: underline line-through"><b>approve all</b></div>'),
  'by class': styled('.x{text-decoration:line-through}', '<div class=x>approve</div>'),
  'by descendant': styled('.y .x{text-decoration:line-through}', '<div class=y><i class=x>approve</i></div>'),
  'perhaps, by a selector that is not read': styled(
    'p ~ .x{text-decoration:line-through}',
    '<div class=x>approve</div>',
  ),
  'beside a plain version without the stroke': both('approve', '<div><s>approve</s></div>'),
  'beside a denial': htmlMail('<div><s>approve</s> deny</div>'),
  'beside a denied denial': htmlMail('<div><s>deny</s> approve</div>'),
  'a second thought below': htmlMail('<div>approve</div><div><s>not</s></div>'),
  'an edit': htmlMail('<div>edit 1</div><div>subject: <s>Hello</s></div>'),
  'an edit’s command': htmlMail('<div><s>edit 1</s></div><div>subject: Hello</div>'),
  'by strokes of Unicode': plainMail(stroke('approve')),
  'by short strokes of Unicode': plainMail(stroke('yes', '\u0335')),
  'by slashes of Unicode': plainMail(stroke('ok', '\u0338')),
  'by a brother': styled('h1 + .x{display:none}', '<div class=x>approve</div>'),
  'by its place': styled('.x:first-child{display:none}', '<div class=x>approve</div>'),
  'by an animation': styled('.x{animation:go 0s forwards}', '<div class=x>approve</div>'),
  'by calculation': htmlMail('<div style="font-size:calc(1px - 1px)">approve</div>'),
  'by a descendant': styled('.y .x{display:none}', '<div class=y><p class=x>approve</p></div>'),
  'on ordinary screens': styled('@media (min-width:300px){.x{display:none}}', '<div class=x>approve</div>'),
  'moved away': htmlMail('<div style="transform:translateX(-9999px)">approve</div>'),
  'a sheet that is too long': styled('.q{color:red}'.repeat(5000), '<div>approve</div>'),
};
