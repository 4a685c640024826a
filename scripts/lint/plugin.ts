import { importFault, mustNotSetState, zodFault } from './direction.ts';

// The rules of this repository for the linter, in the form of an ESLint plugin.

type Node = Readonly<Record<string, unknown>> & { readonly type: string };
type Context = {
  readonly filename: string;
  readonly report: (finding: { readonly node: Node; readonly message: string }) => void;
};
type Rule = { readonly create: (context: Context) => Readonly<Record<string, (node: Node) => void>> };

const direction: Rule = {
  create(context) {
    const check = (source: unknown): void => {
      const node = source as Node | null;
      if (typeof node?.['value'] !== 'string') return;
      const message = importFault(context.filename, node['value']);
      if (message !== null) context.report({ node, message });
    };
    return {
      ImportDeclaration: (node) => check(node['source']),
      ExportNamedDeclaration: (node) => check(node['source']),
      ExportAllDeclaration: (node) => check(node['source']),
      ImportExpression: (node) => check(node['source']),
      TSImportType: (node) => check(node['source']),
    };
  },
};

const zod: Rule = {
  create(context) {
    const check = (node: Node): void => {
      const source = node['source'] as Node | null;
      if (!/^zod($|\/)/.test(String(source?.['value'] ?? ''))) return;
      const specifiers = (node['specifiers'] ?? []) as readonly Node[];
      const isNamespace = specifiers.every((specifier) => specifier.type === 'ImportNamespaceSpecifier');
      const isType = node['importKind'] === 'type';
      const message = zodFault(context.filename, isNamespace || isType);
      if (message !== null) context.report({ node, message });
    };
    return { ImportDeclaration: check, ExportNamedDeclaration: check };
  },
};

const oneDoorForState: Rule = {
  create(context) {
    if (!mustNotSetState(context.filename)) return {};
    return {
      AssignmentExpression(node) {
        const left = node['left'] as Node;
        const property = left['property'] as Node | undefined;
        const object = left['object'] as Node | undefined;
        if (left.type !== 'MemberExpression' || property?.['name'] !== 'state' || object?.['name'] !== 'run')
          return;
        context.report({ node, message: 'Only run/commit.ts gives a run its next state: commit an event.' });
      },
    };
  },
};

export default {
  meta: { name: 'vitrine' },
  rules: { direction, zod, 'one-door-for-state': oneDoorForState },
};
