import type { JsonValue } from '@vitrine/core';
import { type ReactNode, useContext } from 'react';
import { FoundItem, Item } from '../../kit/item.tsx';
import { Json } from '../../kit/json.tsx';
import { Section } from '../../kit/section.tsx';
import { useTexts } from '../../texts.ts';

/** The tools of the request with their input schemas. */
export function ToolList({ tools }: { readonly tools: JsonValue }): ReactNode {
  const found = useContext(FoundItem);
  const { sent } = useTexts();
  const list = Array.isArray(tools) ? tools : [];
  if (list.length === 0) return <p className="facts">{sent.noTools}</p>;
  return (
    <Section title={sent.tools(list.length)} isOpen={found?.startsWith('tool:') === true}>
      {list.map((tool, index) => (
        <Item key={index} id={`tool:${nameOf(tool, index, sent.unnamedTool)}`}>
          <h4>{nameOf(tool, index, sent.unnamedTool)}</h4>
          <Json value={tool} path={['tools', String(index)]} />
        </Item>
      ))}
    </Section>
  );
}

/** The name of a tool in the request; `unnamed` names a tool without a name by its number. */
export function nameOf(tool: JsonValue, index: number, unnamed: (number: number) => string): string {
  const isNamed = typeof tool === 'object' && tool !== null && !Array.isArray(tool);
  const name = isNamed ? (tool as { readonly [key: string]: JsonValue })['name'] : null;
  return typeof name === 'string' ? name : unnamed(index + 1);
}
