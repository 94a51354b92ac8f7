import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags as t } from '@lezer/highlight';

/** The looks of code, all from our tokens: it follows the theme of the page by itself. */
export const codeTheme: Extension = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--sl-text)',
    backgroundColor: 'var(--sl-panel)',
    fontSize: 'var(--sl-fs-2)',
  },
  '&.cm-focused': { outline: '2px solid var(--sl-focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--sl-mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--sl-focus)', padding: '6px 0' },
  '.cm-line': { padding: '0 8px 0 6px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--sl-focus)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection':
    { backgroundColor: 'color-mix(in srgb, var(--sl-focus) 26%, transparent)' },
  '.cm-gutters': {
    color: 'var(--sl-text-3)',
    backgroundColor: 'var(--sl-sunken)',
    borderRight: '1px solid var(--sl-line)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 6px 0 4px', fontVariantNumeric: 'tabular-nums' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--sl-text) 5%, transparent)' },
  '.cm-activeLineGutter': {
    color: 'var(--sl-text)',
    backgroundColor: 'color-mix(in srgb, var(--sl-text) 8%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket, .cm-matchingBracket': {
    backgroundColor: 'var(--sl-desired-soft)',
    outline: '1px solid var(--sl-desired)',
  },
  '&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket': {
    backgroundColor: 'var(--sl-failure-soft)',
    outline: '1px solid var(--sl-failure)',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--sl-message-soft)', outline: '1px solid var(--sl-message)' },
  '.cm-searchMatch.cm-searchMatch-selected': {
    backgroundColor: 'var(--sl-desired-soft)',
    outlineColor: 'var(--sl-desired)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--sl-sunken)', outline: '1px solid var(--sl-line)' },
  '.cm-foldPlaceholder': {
    color: 'var(--sl-text-2)',
    backgroundColor: 'var(--sl-sunken)',
    border: '1px solid var(--sl-line)',
  },
  '.cm-placeholder': { color: 'var(--sl-text-3)' },
  '.cm-panels': { color: 'var(--sl-text)', backgroundColor: 'var(--sl-raised)', fontFamily: 'var(--sl-sans)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--sl-line)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--sl-line)' },
  '.cm-textfield': {
    color: 'var(--sl-text)',
    backgroundColor: 'var(--sl-panel)',
    border: '1px solid var(--sl-line-strong)',
    borderRadius: 'var(--sl-radius)',
    fontSize: 'var(--sl-fs-2)',
  },
  '.cm-button': {
    color: 'var(--sl-text)',
    background: 'var(--sl-panel)',
    border: '1px solid var(--sl-line-strong)',
    borderRadius: 'var(--sl-radius)',
    fontSize: 'var(--sl-fs-2)',
  },
  '.cm-tooltip': {
    color: 'var(--sl-text)',
    backgroundColor: 'var(--sl-raised)',
    border: '1px solid var(--sl-line)',
    borderRadius: 'var(--sl-radius)',
    boxShadow: 'var(--sl-shadow)',
    fontFamily: 'var(--sl-sans)',
    fontSize: 'var(--sl-fs-2)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--sl-mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { minHeight: '24px', padding: '3px 8px', lineHeight: '18px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--sl-text)',
    background: 'var(--sl-desired-soft)',
    outline: '2px solid var(--sl-focus)',
    outlineOffset: '-2px',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { color: 'var(--sl-text-3)', fontStyle: 'normal' },
});

/** Colours of words by their kind; weight and slant say the same without colour. */
export const codeHighlight: Extension = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [t.keyword, t.modifier, t.operatorKeyword, t.controlKeyword], color: 'var(--sl-decision)' },
    { tag: [t.string, t.special(t.string), t.regexp], color: 'var(--sl-actual)' },
    { tag: [t.number, t.bool, t.null, t.atom, t.self], color: 'var(--sl-message)' },
    { tag: [t.typeName, t.className, t.namespace], color: 'var(--sl-time)' },
    { tag: [t.definition(t.propertyName), t.attributeName], color: 'var(--sl-desired)' },
    { tag: t.propertyName, color: 'var(--sl-text)' },
    { tag: [t.function(t.variableName), t.function(t.propertyName), t.labelName], color: 'var(--sl-desired)' },
    { tag: t.function(t.definition(t.variableName)), color: 'var(--sl-desired)', fontWeight: '700' },
    { tag: [t.comment, t.lineComment, t.blockComment, t.docComment], color: 'var(--sl-text-2)', fontStyle: 'italic' },
    { tag: [t.punctuation, t.separator, t.bracket], color: 'var(--sl-text-2)' },
    { tag: [t.meta, t.documentMeta, t.processingInstruction], color: 'var(--sl-text-2)' },
    { tag: t.invalid, color: 'var(--sl-failure)', textDecoration: 'underline wavy' },
  ]),
);
