import { patternFault } from './ambiguous-pattern.ts';
import { boundedRecursions, provenPatterns } from './bounded.ts';
import { importFault, isApply, mustNotApply, mustNotKeepState, zodFault } from './direction.ts';
import { keptStates } from './kept-states.ts';
import { functionNameFault, valueNameFault } from './function-names.ts';
import { isTest, placeOf } from './place.ts';
import { type Node, recursionsIn } from './recursion.ts';

// The lint rules of this repository, as an ESLint plugin.

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
      const source = String((node['source'] as Node | null)?.['value'] ?? '');
      const isType = node['importKind'] === 'type' || node['exportKind'] === 'type';
      if (isType || !/^zod($|\/)/.test(source)) return;
      const specifiers = (node['specifiers'] ?? []) as readonly Node[];
      const isNamespace = specifiers.every((specifier) => specifier.type === 'ImportNamespaceSpecifier');
      const message = zodFault(context.filename, source, isNamespace);
      if (message !== null) context.report({ node, message });
    };
    return { ImportDeclaration: check, ExportNamedDeclaration: check };
  },
};

/** The state of an agent changes in one place, `run/journal.ts`. Readers that fold events are listed in floors.ts. */
const onePlaceOfChange: Rule = {
  create({ filename, report }) {
    const checkImport = (node: Node): void => {
      const source = (node['source'] as Node | null)?.['value'];
      if (node['importKind'] === 'type' || node['exportKind'] === 'type') return;
      if (typeof source !== 'string' || !isApply(filename, source)) return;
      const specifiers = (node['specifiers'] ?? []) as readonly Node[];
      const names = specifiers
        .filter((specifier) => specifier['importKind'] !== 'type' && specifier['exportKind'] !== 'type')
        .map((specifier) => (specifier['imported'] ?? specifier['local']) as Node | undefined);
      // A namespace or `export *` holds all names.
      const isOther = names.length > 0 && names.every((name) => name?.['name'] === 'isKnownEvent');
      const isOnlyTypes = specifiers.length > 0 && names.length === 0;
      if (isOther || isOnlyTypes) return;
      const message =
        'Only run/journal.ts changes the state of an agent: commit an event. A reader that folds events is listed in applyCallers of scripts/lint/floors.ts.';
      report({ node, message });
    };
    const ofImports = mustNotApply(filename)
      ? {
          ImportDeclaration: checkImport,
          ExportNamedDeclaration: checkImport,
          ExportAllDeclaration: checkImport,
        }
      : {};
    if (!mustNotKeepState(filename)) return ofImports;
    return {
      ...ofImports,
      Program(program) {
        for (const { name, node } of keptStates(program)) {
          const message = `${name} keeps the state of an agent beside the journal: read journal.state(). A reader is listed in stateKeepers of scripts/lint/floors.ts.`;
          report({ node, message });
        }
      },
    };
  },
};

/** The path from the repository's folder for shipped files; null for others. */
function shipped(file: string): string | null {
  const place = placeOf(file);
  return place?.isSource && !isTest(file) ? `${place.kind}/${place.name}/src/${place.path}` : null;
}

/** Regular expressions over texts of a model, a file or a person must take linear time. */
const linearPatterns: Rule = {
  create(context) {
    const file = shipped(context.filename);
    if (file === null) return {};
    const proven = provenPatterns[file]?.names ?? [];
    const check = (node: Node, name: string, message: string | null): void => {
      if (message !== null && !proven.includes(name)) context.report({ node, message });
    };
    return {
      Literal(node) {
        const regex = node['regex'] as
          { readonly pattern: string; readonly flags: string } | null | undefined;
        if (!regex) return;
        const { pattern, flags } = regex;
        check(node, `/${pattern}/${flags}`, patternFault(pattern, flags));
      },
      NewExpression(node) {
        if ((node['callee'] as Node)['name'] !== 'RegExp') return;
        const message =
          'A pattern that is put together cannot be judged: write it as /…/, or prove it in scripts/lint/bounded.ts.';
        check(node, 'new RegExp', message);
      },
    };
  },
};

/** Input may be nested to any depth, so recursion over it needs a bound. */
const boundedRecursion: Rule = {
  create(context) {
    const file = shipped(context.filename);
    if (file === null) return {};
    const proven = boundedRecursions[file]?.names ?? [];
    return {
      Program(program) {
        for (const { name, node } of recursionsIn(program)) {
          if (proven.includes(name)) continue;
          const message = `${name} calls itself without a depth. Hand on a depth and end at a bound, use a loop, or prove in scripts/lint/bounded.ts that what it walks over is bounded.`;
          context.report({ node, message });
        }
      },
    };
  },
};

/** A function is a verb with its object; a bare participle is a value. */
const functionNames: Rule = {
  create({ filename, report }) {
    if (shipped(filename) === null) return {};
    const check = (named: unknown, faultOf: (name: string) => string | null): void => {
      const node = named as Node | null;
      const message = typeof node?.['name'] === 'string' ? faultOf(node['name']) : null;
      if (node !== null && message !== null) report({ node, message });
    };
    const checkParameters = (node: Node): void => {
      for (const parameter of node['params'] as readonly Node[]) check(parameter, valueNameFault);
    };
    return {
      FunctionDeclaration(node) {
        check(node['id'], functionNameFault);
        checkParameters(node);
      },
      FunctionExpression: checkParameters,
      ArrowFunctionExpression: checkParameters,
      MethodDefinition(node) {
        if (node['kind'] === 'method') check(node['key'], functionNameFault);
      },
      VariableDeclarator(node) {
        check(node['id'], valueNameFault);
        const type = (node['init'] as Node | null)?.['type'];
        if (type === 'ArrowFunctionExpression') check(node['id'], functionNameFault);
      },
    };
  },
};

export default {
  meta: { name: 'vitrine' },
  rules: {
    direction,
    zod,
    'one-place-of-change': onePlaceOfChange,
    'linear-patterns': linearPatterns,
    'bounded-recursion': boundedRecursion,
    'function-names': functionNames,
  },
};
