// The namespace `ErrorInfo`: errors as plain data.
export { errorInfo as of } from '../graph/error-info.ts';
