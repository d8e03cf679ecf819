//! Settings for search and answers.

use std::path::{Path, PathBuf};

use domain::{Secret, TenantId};
use extraction::language_model::{AllowedTenants, ModelLimits};
use url::Url;

use super::{ConfigError, Layers};

#[derive(Debug)]
pub(crate) struct SearchConfig {
    pub(crate) embedding: EmbeddingChoice,
    pub(crate) embedding_threads: usize,
    pub(crate) rerank: RerankChoice,
    pub(crate) language_model: Option<ModelService>,
    /// How the language model extracts fields; `None`: it does not.
    pub(crate) extraction: Option<ExtractionByModel>,
    pub(crate) memory: u64,
}

#[derive(Debug)]
pub(crate) struct ExtractionByModel {
    pub(crate) limits: ModelLimits,
    pub(crate) tenants: AllowedTenants,
}

#[derive(Debug)]
pub(crate) enum EmbeddingChoice {
    /// What the project's scripts installed, if they did.
    Installed,
    Off,
    Folder(PathBuf),
    Service {
        service: ModelService,
        dimension: usize,
    },
}

#[derive(Debug)]
pub(crate) enum RerankChoice {
    None,
    Folder(PathBuf),
    Service(ModelService),
}

/// A model that a server provides over HTTP.
#[derive(Debug)]
pub(crate) struct ModelService {
    pub(crate) protocol: Protocol,
    pub(crate) url: Url,
    pub(crate) model: String,
    pub(crate) key: Option<Secret>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Anthropic,
    OpenAi,
    Cohere,
}

impl SearchConfig {
    pub(super) fn from_layers(layers: &Layers) -> Result<Self, ConfigError> {
        let cores = || std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let embedding_threads = match layers.number("embedding_threads", 0, 256)? {
            0 => cores(),
            some => some as usize,
        };
        let memory: u32 = layers.number("search_memory_mb", 16, 1 << 20)?;
        let language_model = language_model(layers)?;
        let extraction = extraction_by_model(layers, language_model.is_some())?;
        Ok(Self {
            embedding: embedding(layers)?,
            embedding_threads,
            rerank: rerank(layers)?,
            language_model,
            extraction,
            memory: u64::from(memory) << 20,
        })
    }
}

fn embedding(layers: &Layers) -> Result<EmbeddingChoice, ConfigError> {
    let place = layers.text("embedding_model")?;
    Ok(match place {
        "" => EmbeddingChoice::Installed,
        "off" => EmbeddingChoice::Off,
        place if is_url(place) => {
            let dimension: u32 = layers.number("embedding_dimension", 0, 16_000)?;
            if dimension == 0 {
                return Err(layers.refuse(
                    "embedding_dimension",
                    "say how many numbers the model's vectors have, such as 1536",
                ));
            }
            let names = ["embedding_model", "embedding_name", "embedding_api_key"];
            let service = service(layers, Protocol::OpenAi, names)?;
            EmbeddingChoice::Service { service, dimension: dimension as usize }
        }
        // The name of a model in a public catalogue, where we want its files.
        name if is_catalogue_name(name) => {
            return Err(layers.refuse(
                "embedding_model",
                "write the folder of the model on this machine, with its whole path",
            ));
        }
        folder => EmbeddingChoice::Folder(PathBuf::from(folder)),
    })
}

/// `BAAI/bge-base-en-v1.5`
fn is_catalogue_name(text: &str) -> bool {
    let parts: Vec<&str> = text.split('/').collect();
    matches!(parts[..], [owner, name] if !owner.is_empty() && !owner.starts_with('.') && !name.is_empty())
        && !Path::new(text).is_dir()
}

fn rerank(layers: &Layers) -> Result<RerankChoice, ConfigError> {
    Ok(match layers.text("rerank_model")? {
        "" => RerankChoice::None,
        place if is_url(place) => {
            let names = ["rerank_model", "rerank_name", "rerank_api_key"];
            RerankChoice::Service(service(layers, Protocol::Cohere, names)?)
        }
        folder => RerankChoice::Folder(PathBuf::from(folder)),
    })
}

fn language_model(layers: &Layers) -> Result<Option<ModelService>, ConfigError> {
    let protocol = match layers.text("llm_provider")? {
        "" => return Ok(None),
        "anthropic" => Protocol::Anthropic,
        "openai" => Protocol::OpenAi,
        _ => {
            return Err(layers.refuse(
                "llm_provider",
                "choose anthropic, openai (and whatever speaks like it: vLLM, Ollama, llama.cpp), or \
                 leave it empty",
            ));
        }
    };
    service(layers, protocol, ["llm_url", "llm_model", "llm_api_key"]).map(Some)
}

fn extraction_by_model(
    layers: &Layers,
    has_model: bool,
) -> Result<Option<ExtractionByModel>, ConfigError> {
    const KEY: &str = "llm_extraction";
    let limits = ModelLimits {
        context_tokens: layers.number("llm_context_tokens", 1_000, 1_000_000)?,
        requests: layers.number("llm_extraction_requests", 1, 100)?,
    };
    let names = layers.words(KEY)?;
    if names.is_empty() {
        return Ok(None);
    }
    if !has_model {
        return Err(
            layers.refuse(KEY, "choose a language model with llm_provider, or leave it empty")
        );
    }
    if names == ["all"] {
        return Ok(Some(ExtractionByModel { limits, tenants: AllowedTenants::All }));
    }
    let ids = names.iter().map(|name| name.parse().map(TenantId)).collect::<Result<_, _>>();
    let tenants = ids.map(AllowedTenants::Some).map_err(|_| {
        layers.refuse(KEY, "write all, or the ids of tenants, which docket tenants list shows")
    })?;
    Ok(Some(ExtractionByModel { limits, tenants }))
}

fn is_url(place: &str) -> bool {
    place.starts_with("http://") || place.starts_with("https://")
}

fn service(
    layers: &Layers,
    protocol: Protocol,
    [url_key, model_key, secret_key]: [&'static str; 3],
) -> Result<ModelService, ConfigError> {
    let usual = match protocol {
        Protocol::Anthropic => "https://api.anthropic.com",
        Protocol::OpenAi => "https://api.openai.com",
        Protocol::Cohere => "https://api.cohere.com",
    };
    let url = match layers.text(url_key)? {
        "" => usual,
        url => url,
    };
    let url = url.parse().map_err(|error| layers.refuse(url_key, error))?;
    let model = layers.text(model_key)?.to_owned();
    if model.is_empty() {
        return Err(layers.refuse(model_key, "name the model"));
    }
    let key = layers.text(secret_key)?;
    let key = (!key.is_empty()).then(|| Secret::new(key));
    Ok(ModelService { protocol, url, model, key })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extraction(settings: &[(&str, &str)]) -> Result<Option<ExtractionByModel>, ConfigError> {
        let variable = |name: &str| {
            let found = settings.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let layers = Layers::load(None, variable, Vec::new()).unwrap();
        SearchConfig::from_layers(&layers).map(|config| config.extraction)
    }

    const MODEL: [(&str, &str); 2] =
        [("DOCKET_LLM_PROVIDER", "openai"), ("DOCKET_LLM_MODEL", "small")];

    fn with_model(tenants: &str) -> Result<Option<ExtractionByModel>, ConfigError> {
        let [provider, model] = MODEL;
        extraction(&[provider, model, ("DOCKET_LLM_EXTRACTION", tenants)])
    }

    #[test]
    fn a_language_model_extracts_nothing_unless_the_operator_names_tenants() {
        assert!(extraction(&MODEL).unwrap().is_none());
        assert_eq!(with_model("all").unwrap().unwrap().tenants, AllowedTenants::All);
        let id = "01890000-0000-7000-8000-000000000001";
        let one = with_model(id).unwrap().unwrap().tenants;
        let allowed = TenantId(id.parse().unwrap());
        assert_eq!(one, AllowedTenants::Some([allowed].into()));
        assert!(one.includes(allowed) && !one.includes(TenantId(uuid::Uuid::nil())));
    }

    #[test]
    fn extraction_without_a_model_or_for_an_unknown_tenant_is_refused() {
        let refused = extraction(&[("DOCKET_LLM_EXTRACTION", "all")]).unwrap_err().to_string();
        assert!(refused.contains("llm_provider"), "{refused}");
        let refused = with_model("acme").unwrap_err().to_string();
        assert!(refused.contains("docket tenants list"), "{refused}");
    }
}
