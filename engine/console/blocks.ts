import { html } from 'hono/html';
import type { LetterBlock } from '../mail/compose/compose.ts';
import type { Html } from './screen.ts';

/** A part of one of our mails on a page. Words of others stand inside frames here as they do there. */
export function blockOf(block: LetterBlock): Html {
  switch (block.kind) {
    case 'heading':
      return html`<h3>${block.text}</h3>`;
    case 'text':
    case 'small':
      return html`<p class="lines${block.kind === 'small' ? ' soft' : ''}">${block.text}</p>`;
    case 'said':
      return html`<blockquote class="lines">${block.text}</blockquote>`;
    case 'box':
    case 'written':
      return html`${block.label === null ? '' : html`<h3>${block.label}</h3>`}<pre tabindex="0">${block.text}</pre>`;
    case 'fields':
      return html`<dl class="facts">${block.rows.map(
        ({ label, value, note }) =>
          html`<dt>${label}</dt><dd>${value}${note === undefined ? '' : html` <span class="warn">${note}</span>`}</dd>`,
      )}</dl>`;
    case 'buttons':
      return html``;
  }
}
