/** Shows an error in place of a screen that fails, and keeps the rest of the page working. */
import { Component, type ReactNode } from "react";
import { Button, Empty } from "../design/basics.tsx";

export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Empty icon="alert" title="This screen failed">
        <p>{error.message}</p>
        <Button icon="refresh" onClick={() => location.reload()}>Reload</Button>
      </Empty>
    );
  }
}
