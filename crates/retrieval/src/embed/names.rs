//! The names of a layer's weights in each model family.

use super::shape::Family;

pub(super) struct Names {
    pub(super) layers: &'static str,
    pub(super) query_key_value: [&'static str; 3],
    pub(super) attended: &'static str,
    pub(super) attended_norm: &'static str,
    pub(super) widen: &'static str,
    pub(super) narrow: &'static str,
    pub(super) norm: &'static str,
}

impl Names {
    pub(super) fn of(family: Family) -> Self {
        match family {
            Family::Bert | Family::Roberta => Self {
                layers: "encoder.layer",
                query_key_value: [
                    "attention.self.query",
                    "attention.self.key",
                    "attention.self.value",
                ],
                attended: "attention.output.dense",
                attended_norm: "attention.output.LayerNorm",
                widen: "intermediate.dense",
                narrow: "output.dense",
                norm: "output.LayerNorm",
            },
            Family::DistilBert => Self {
                layers: "transformer.layer",
                query_key_value: ["attention.q_lin", "attention.k_lin", "attention.v_lin"],
                attended: "attention.out_lin",
                attended_norm: "sa_layer_norm",
                widen: "ffn.lin1",
                narrow: "ffn.lin2",
                norm: "output_layer_norm",
            },
        }
    }
}
